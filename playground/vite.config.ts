import { readFileSync } from 'node:fs'
import { defineConfig } from 'vite'

interface PythonFolder {
  folder: string
  files: { name: string; bytes: number; integrity?: string }[]
}

/** What scripts/python-files.mjs wrote: the folder under build/public that holds Python, and what is loaded from it. */
function pythonFolder(): PythonFolder {
  try {
    return JSON.parse(readFileSync(new URL('build/python-folder.json', import.meta.url), 'utf8'))
  } catch {
    return { folder: 'run-npm-run-python-first/', files: [] }
  }
}

const python = pythonFolder()

export default defineConfig({
  base: './',
  publicDir: 'build/public',
  define: {
    PYTHON_FOLDER: JSON.stringify(python.folder),
    PYTHON_FILES: JSON.stringify(python.files),
    PYTHON_BYTES: String(python.files.reduce((sum, file) => sum + file.bytes, 0)),
  },
  worker: { format: 'es' },
  // The view is one file for the notebooks and this page; it lives with the Python package.
  server: { fs: { allow: ['..'] } },
  build: {
    target: 'es2022',
    license: { fileName: 'licences.md' },
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  test: { include: ['src/**/*.test.ts'] },
} as Parameters<typeof defineConfig>[0])
