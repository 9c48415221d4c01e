// Runs test files with pytest inside Pyodide, under Node: node pyodide_tests.mjs FOLDER test_a.py test_b.py …
// FOLDER is what `scripts/python-files.mjs --tests` made: our wheel, its dependencies and pytest, in one lock file.
// The last line printed is JSON: {"status": pytest's, "collected": [names], "outcomes": {name: outcome}}.
import { readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isMainThread, Worker } from 'node:worker_threads'
import { fileURLToPath, pathToFileURL } from 'node:url'

if (isMainThread) {
  // A thread of its own has a stack of any size: Python's own recursion limit must be met before JavaScript's.
  const thread = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2), resourceLimits: { stackSizeMb: 256 } })
  thread.on('error', (error) => {
    console.error(error)
    process.exitCode = 1
  })
} else {
  await main(...process.argv.slice(2))
}

async function main(folder, ...files) {
  const tests = dirname(dirname(fileURLToPath(import.meta.url)))
  const playground = join(dirname(tests), 'playground')
  const { loadPyodide } = await import(pathToFileURL(join(playground, 'node_modules', 'pyodide', 'pyodide.mjs')).href)

  const python = await loadPyodide({
    indexURL: join(playground, 'node_modules', 'pyodide'),
    lockFileURL: join(folder, 'pyodide-lock.json'),
    packageBaseUrl: folder,
    stdin: () => null,
    stdout: (line) => writeSync(1, `${line}\n`), // at once: console.log waits until this thread is idle
    stderr: (line) => writeSync(2, `${line}\n`),
    env: { PYTHONDONTWRITEBYTECODE: '1' },
  })
  const fail = (what) => {
    throw new Error(what)
  }
  await python.loadPackage(['mingraph_lite', 'pytest', 'hypothesis'], { messageCallback() {}, errorCallback: fail })
  python.FS.mkdirTree('/house/tests')
  python.mountNodeFS('/house/tests', tests)
  python.globals.set('files', python.toPy(files))
  console.log(await python.runPythonAsync(readFileSync(join(tests, 'playground', 'inside_pyodide.py'), 'utf8')))
}
