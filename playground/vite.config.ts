import { readFileSync } from 'node:fs'
import { defineConfig } from 'vite'

/** What scripts/python-files.mjs wrote: the folder under build/public that holds Python, and how much it weighs. */
function pythonFolder(): { folder: string; bytes: number } {
  try {
    return JSON.parse(readFileSync(new URL('build/python-folder.json', import.meta.url), 'utf8'))
  } catch {
    return { folder: 'run-npm-run-python-first/', bytes: 0 }
  }
}

export default defineConfig({
  base: './',
  publicDir: 'build/public',
  define: { PYTHON_FOLDER: JSON.stringify(pythonFolder().folder), PYTHON_BYTES: String(pythonFolder().bytes) },
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
