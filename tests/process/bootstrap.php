<?php
declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/support/' . basename(strtr($class, '\\', '/')) . '.php';
    if (str_starts_with($class, 'FileLock\\Tests\\') && is_file($file)) {
        require $file;
    }
});
