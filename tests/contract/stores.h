/* The stores and methods that keep the contract: title, and a DSN in which %s is a directory that exists. */
STORE("table:", "table:%s?mode=0644&capacity=1024")
STORE("dir:", "dir:%s")
STORE("file: link", "file:%s?method=link")
STORE("file: mkdir", "file:%s?method=mkdir")
STORE("file: exclusive", "file:%s?method=exclusive")
STORE("file: touch", "file:%s?method=touch")
STORE("file: symlink", "file:%s?method=symlink")
STORE("file: flock", "file:%s?method=flock")
