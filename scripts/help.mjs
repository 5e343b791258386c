import { parseArgs } from 'node:util'

/**
 * Answers `--help` with what a script does and takes; nothing else happens then.
 * @param {string} text
 */
export function answerHelp(text) {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    process.stdout.write(`${text}\n`)
    process.exit(0)
  }
}

/**
 * The options of a script; a wrong one ends it with a sentence.
 * @template {import('node:util').ParseArgsConfig} T
 * @param {T} config
 */
export function readOptions(config) {
  try {
    return parseArgs(config)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nTry --help.\n`)
    process.exit(2)
  }
}
