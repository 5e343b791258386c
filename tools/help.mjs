import { parseArgs } from 'node:util'

/**
 * Prints the help of a script and exits if `--help` is given.
 * @param {string} text
 */
export function answerHelp(text) {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    process.stdout.write(`${text}\n`)
    process.exit(0)
  }
}

/**
 * Parses the options of a script; exits with a message for invalid options.
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
