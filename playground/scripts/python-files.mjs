// Puts everything the page's Python needs into build/public/python-<hash>/: Pyodide's five files, our wheel and the
// wheels it depends on with compiled code in them, the standard library likewise, and one lock file with the wheels'
// checksums. `--tests` makes build/tests/ instead, with pytest too.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const playground = dirname(dirname(fileURLToPath(import.meta.url)))
const repository = dirname(playground)
const forTests = process.argv.includes('--tests')
const pyodide = join(playground, 'node_modules', 'pyodide')
/** Pyodide as it comes; tests/bench/page.py loads it from here, to hold this page against it. */
const START = ['pyodide.mjs', 'pyodide.asm.mjs', 'pyodide.asm.wasm', 'python_stdlib.zip']
const SCRIPTS = ['compiled.mjs', 'compile_archives.py'].map((name) => join(playground, 'scripts', name))
const GLUE = join(playground, 'src', 'python', 'glue.py')

function findPython() {
  const inVenv = process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']
  const venv = join(repository, '.venv', ...inVenv)
  return process.env.PYTHON || (existsSync(venv) ? venv : 'python3')
}

const python = findPython()

function run(why, ...args) {
  const done = spawnSync(python, args, { cwd: repository, encoding: 'utf8' })
  if (done.status === 0) return
  const said = done.error ? String(done.error) : `${done.stdout}${done.stderr}`
  console.error(`Could not ${why} with ${python}.\n${said}`)
  console.error(
    'The build needs a Python with this package\'s extra "page": pip install -e ".[page]". PYTHON=… names another.',
  )
  process.exit(1)
}

/** The wheels of the packages that a file names, downloaded once: the folder's name changes with them and with the tested versions. */
function downloaded(file) {
  const packages = join(playground, file)
  const constraints = join(repository, 'constraints.txt')
  const folder = join(playground, 'build', 'wheels', digest([packages, constraints]))
  if (!existsSync(join(folder, '.complete'))) {
    rmSync(folder, { recursive: true, force: true })
    const { info } = readJson(join(pyodide, 'pyodide-lock.json'))
    const [major, minor] = info.python.split('.')
    run(
      `download the wheels in ${file}`,
      '-m',
      'pip',
      'download',
      '--quiet',
      '--disable-pip-version-check',
      '--no-deps',
      '--only-binary=:all:',
      '--python-version',
      `${major}.${minor}`,
      '--implementation',
      'cp',
      '--abi',
      `cp${major}${minor}`,
      '--platform',
      `pyemscripten_${info.abi_version}_wasm32`,
      '--requirement',
      packages,
      '--constraint',
      constraints,
      '--dest',
      folder,
    )
    writeFileSync(join(folder, '.complete'), '')
  }
  return wheelsIn(folder)
}

function ourWheel() {
  const folder = join(playground, 'build', 'wheels', 'ours')
  rmSync(folder, { recursive: true, force: true })
  run('build the wheel of mingraph_lite', '-m', 'build', '--wheel', '--no-isolation', '--outdir', folder, repository)
  return wheelsIn(folder)
}

function wheelsIn(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.whl'))
    .sort()
    .map((name) => join(folder, name))
}

function digest(files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(basename(file)).update(readFileSync(file))
  return hash.digest('hex').slice(0, 12)
}

/**
 * A lock file that knows our wheels and nothing else: a name it does not hold fails here, never at a far host.
 * pyodide-lock 0.2 compares wheel tags with the compiler's platform (emscripten_5_0_3); wheels now carry the ABI's
 * (pyemscripten_2026_0), so it is shown that name and the real one is put back.
 */
function writeLock(wheels, folder) {
  const lock = readJson(join(pyodide, 'pyodide-lock.json'))
  const bare = join(playground, 'build', 'pyodide-lock-bare.json')
  const made = join(playground, 'build', 'pyodide-lock-made.json')
  const info = { ...lock.info, platform: `pyemscripten_${lock.info.abi_version}` }
  writeFileSync(bare, JSON.stringify({ ...lock, info, packages: {} }))
  run(
    'write the lock file',
    '-m',
    'pyodide_cli',
    'lockfile',
    'add-wheels',
    '--input',
    bare,
    '--output',
    made,
    '--base-path',
    folder,
    ...wheels,
  )
  const complete = JSON.stringify({ ...readJson(made), info: lock.info }, null, 1)
  writeFileSync(join(folder, 'pyodide-lock.json'), complete)
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** The same wheels with compiled code in them, and the standard library beside them. */
function compiled(wheels) {
  const folder = join(playground, 'build', 'compiled')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const [script] = SCRIPTS
  const done = spawnSync(process.execPath, [script, folder, join(pyodide, 'python_stdlib.zip'), ...wheels], {
    encoding: 'utf8',
  })
  if (done.status !== 0) {
    console.error(`Could not compile the page's Python.\n${done.error ?? `${done.stdout}${done.stderr}`}`)
    process.exit(1)
  }
  return { wheels: wheelsIn(folder), library: join(folder, 'python_stdlib_compiled.zip') }
}

/** What the page loads, in the order in which it needs it: names, sizes, and what the lock file says of the wheels. */
function loadedFiles(folder) {
  const { packages } = readJson(join(folder, 'pyodide-lock.json'))
  const wheels = Object.values(packages).map(({ file_name, sha256 }) => [file_name, sha256])
  const names = [
    'pyodide.mjs',
    'pyodide.asm.mjs',
    'pyodide.asm.wasm',
    'python_stdlib_compiled.zip',
    'pyodide-lock.json',
  ]
  return [...names.map((name) => [name]), ...wheels].map(([name, sha256]) => ({
    name,
    bytes: statSync(join(folder, name)).size,
    ...(sha256 && { integrity: `sha256-${Buffer.from(sha256, 'hex').toString('base64')}` }),
  }))
}

function copyInto(folder, files) {
  mkdirSync(folder, { recursive: true })
  return files.map((file) => {
    const copy = join(folder, basename(file))
    cpSync(file, copy)
    return copy
  })
}

const start = START.map((name) => join(pyodide, name))
const wheels = [...ourWheel(), ...downloaded('python-packages.txt')]

if (forTests) {
  const folder = join(playground, 'build', 'tests')
  rmSync(folder, { recursive: true, force: true })
  const more = downloaded('python-packages-tests.txt')
  writeLock(copyInto(folder, [...compiled(wheels).wheels, ...more]), folder)
  console.log(folder)
} else {
  const name = `python-${digest([...start, ...wheels, ...SCRIPTS, GLUE, join(playground, 'notices', 'PYODIDE.txt')])}`
  const shown = join(playground, 'build', 'public')
  const folder = join(shown, name)
  if (!existsSync(join(folder, 'pyodide-lock.json'))) {
    rmSync(shown, { recursive: true, force: true })
    const made = compiled(wheels)
    copyInto(folder, [...start, made.library, join(playground, 'notices', 'PYODIDE.txt')])
    writeLock(copyInto(folder, made.wheels), folder)
  }
  // A script that must run where the page's own does not is bundled with nothing.
  cpSync(join(playground, 'src', 'not-started.js'), join(shown, 'not-started.js'))
  const files = loadedFiles(folder)
  writeFileSync(join(playground, 'build', 'python-folder.json'), JSON.stringify({ folder: `${name}/`, files }))
  console.log(`Python for the page: ${name}`)
}
