"""The page in the engines that Playwright does not drive: Firefox and WebKit."""
