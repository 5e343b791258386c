/** Runs programs on this terminal: forwards exit status and signals, without a shell. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '..')

/**
 * Path of the JavaScript file behind a package's command, to run on this Node on every system.
 * @param {string} packageName
 * @param {string} command
 * @param {string} place Folder whose packages include that one.
 */
export function tool(packageName, command = packageName, place = root) {
  const folder = path.join(place, 'node_modules', packageName)
  /** @type {{ bin: string | Record<string, string> }} */
  const { bin } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const file = typeof bin === 'string' ? bin : bin[command]
  if (!file) {
    throw new Error(`${packageName} has no command ${command}`)
  }
  return path.join(folder, file)
}

/**
 * Environment of the type checker and the linter, which are written in Go: to collect garbage less often takes a fifth less
 * processor time, and twice the memory, 2 GB.
 */
export const rareCollections = { ...process.env, GOGC: '400' }

/** @typedef {{ env?: NodeJS.ProcessEnv, stdio?: import('node:child_process').StdioOptions }} Options */

/**
 * Starts a program in the project's root and forwards termination signals.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Options} [options]
 */
export function start(program, args, options = {}) {
  const child = spawn(program, args, { cwd: root, stdio: options.stdio ?? 'inherit', env: options.env ?? process.env })
  const terminate = () => void child.kill('SIGTERM')
  // A terminal sends Ctrl+C to the whole group, including the child; a second one would mean "at once".
  const interrupt = () => void (process.stdin.isTTY || child.kill('SIGINT'))
  process.on('SIGTERM', terminate).on('SIGINT', interrupt)
  // A signal to npm ends npm and its shell but is not forwarded to this process, which only sees its parent disappear.
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) {
      return
    }
    clearInterval(watch)
    terminate()
  }, 500)
  /** @type {Promise<number>} */
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearInterval(watch)
      process.off('SIGTERM', terminate).off('SIGINT', interrupt)
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0))
    })
  })
  return { child, ended }
}

/**
 * Runs a program to its end; resolves with its exit status (128 + n when signal n ended it).
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Options} [options]
 */
export const run = (program, args, options) => start(program, args, options).ended

/**
 * Runs a script, or a package's command, on this Node; ends this process when it fails.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {Options} [options]
 */
export async function must(file, args, options) {
  const status = await run(process.execPath, [file, ...args], options)
  if (status !== 0) {
    process.exit(status)
  }
}
