declare const PYTHON_FOLDER: string
/** What Python is loaded from, in the order in which it is needed. `integrity` is what the lock file says of a wheel. */
declare const PYTHON_FILES: { name: string; bytes: number; integrity?: string }[]
/** The sum of their sizes: where the progress bar ends. */
declare const PYTHON_BYTES: number
