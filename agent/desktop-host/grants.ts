import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { writeFileAtomically } from '../base/write-file.ts'
import type { DesktopGrant } from '../platform/platform.ts'

const Tokens = z.array(z.tuple([z.string(), z.string()]))

/**
 * Tokens of the system, by user, in a file of the agent: with a token, any program of that user could see the screen
 * unasked.
 */
export class Grants {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  of(username: string): DesktopGrant {
    return {
      read: () => Promise.resolve(this.#read().get(username) ?? null),
      store: (token) => {
        const tokens = this.#read()
        if (token === null) {
          tokens.delete(username)
        } else {
          tokens.set(username, token)
        }
        writeFileAtomically(this.#file, `${JSON.stringify([...tokens])}\n`)
        return Promise.resolve()
      },
    }
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
