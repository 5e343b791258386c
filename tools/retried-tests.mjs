/** Records tests that failed and then passed on their retry, and why; the scripts of `npm test` print the list at the end. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { root } from './processes.mjs'

export const retriedFile = path.join(root, 'test-results', 'retried.txt')

/** Empties the list, and prints it when this process ends. */
export function printRetriedAtExit() {
  rmSync(retriedFile, { force: true })
  process.on('exit', () => {
    if (existsSync(retriedFile)) {
      const tests = readFileSync(retriedFile, 'utf8')
      console.log(
        `\nPassed only on the retry (${path.relative(root, retriedFile)}); see CONTRIBUTING.md, "Tests":\n${tests}`,
      )
    }
  })
}

/** Reporter for both runners: Vitest calls `onTestCaseResult`, Playwright `onTestEnd`. */
export default class RetriedTests {
  #list

  /** @param {{ list?: string }} [options] Path of the list. */
  constructor({ list = retriedFile } = {}) {
    this.#list = list
  }

  /**
   * @param {string} file
   * @param {readonly string[]} names
   * @param {{ stack?: string, message?: string } | undefined} error Of the first run.
   */
  #record(file, names, error) {
    mkdirSync(path.dirname(this.#list), { recursive: true })
    const reason = stripVTControlCharacters(error?.stack ?? error?.message ?? '').replaceAll(/^/gm, '  ')
    appendFileSync(this.#list, `${path.relative(root, file)} > ${names.filter(Boolean).join(' > ')}\n${reason}\n`)
  }

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky) {
      this.#record(test.module.moduleId, [test.fullName], test.result().errors?.[0])
    }
  }

  /** @param {import('@playwright/test/reporter').TestCase} test */
  onTestEnd(test) {
    if (test.outcome() === 'flaky') {
      // The first three titles are those of the root, the project and the file.
      this.#record(test.location.file, test.titlePath().slice(3), test.results[0]?.error)
    }
  }
}
