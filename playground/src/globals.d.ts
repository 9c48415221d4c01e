declare const PYTHON_FOLDER: string
declare const PYTHON_BYTES: number
