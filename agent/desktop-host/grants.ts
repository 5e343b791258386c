import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Log } from '../base/log.ts'
import { writeFileAtomically } from '../base/write-file.ts'
import type { DesktopGrant } from '../platform/platform.ts'

const Tokens = z.array(z.tuple([z.string(), z.string()]))

/**
 * Tokens of the system, by user, in a file of the agent: with a token, any program of that user could see the screen
 * unasked.
 */
export class Grants {
  readonly #file: string
  readonly #log: Pick<Log, 'warn'>

  constructor(file: string, log: Pick<Log, 'warn'>) {
    this.#file = file
    this.#log = log
  }

  of(username: string): DesktopGrant {
    return {
      read: () => Promise.resolve(this.#read().get(username) ?? null),
      store: (token) => {
        try {
          this.#store(username, token)
        } catch (error) {
          // On a full disk, the session that the person has just allowed begins all the same (T37).
          this.#log.warn({ error }, 'The permission to show a desktop could not be stored; its person is asked again')
        }
        return Promise.resolve()
      },
    }
  }

  #store(username: string, token: string | null) {
    const tokens = this.#read()
    if (token === null) {
      tokens.delete(username)
    } else {
      tokens.set(username, token)
    }
    writeFileAtomically(this.#file, `${JSON.stringify([...tokens])}\n`)
  }

  #read(): Map<string, string> {
    try {
      return new Map(Tokens.parse(JSON.parse(readFileSync(this.#file, 'utf8'))))
    } catch {
      // Missing, or unreadable: the person is asked again.
      return new Map()
    }
  }
}
