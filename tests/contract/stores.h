/* The stores and methods that keep the contract: title, and a DSN in which %s is a directory that exists. */
STORE("table:", "table:%s?mode=0644&capacity=1024")
STORE("dir:", "dir:%s")
