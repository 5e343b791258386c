import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const program = join(import.meta.dirname, 'identity-provider-process.ts')

/** Settings of a server that uses a provider at a place. */
export const providerSettings = (place: 'A' | 'B', issuer: string, more: Record<string, string> = {}) => {
  const details = { ClientId: 'farhand', ClientSecret: 'secret-of-the-client', Issuer: issuer, ...more }
  const named = Object.entries(details).map(([name, value]) => [`AppOptions__IdentityProvider${place}${name}`, value])
  return Object.fromEntries(named) as Record<string, string>
}

/** Starts the provider's process. */
export async function startIdentityProvider(): Promise<{ issuer: string; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const lines: string[] = []
  const issuer = await new Promise<string>((resolve, reject) => {
    for (const output of [child.stdout, child.stderr]) {
      createInterface(output).on('line', (line) => {
        lines.push(line)
        const found = /^Issuer (\S+)/.exec(line)?.[1]
        if (found !== undefined) {
          resolve(found)
        }
      })
    }
    void ended.then(() => reject(new Error(`The provider did not start: ${lines.join('\n')}`)))
  })
  return {
    issuer,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** A browser at the pages of a provider: follows redirects, keeps cookies, fills in forms. */
export class ProviderBrowser {
  readonly #cookies = new Map<string, string>()

  /** Signs in as `name` at the provider, and returns the query that it sends the browser back to our server with. */
  async signIn(url: string, name: string): Promise<string> {
    let next = new URL(url)
    let body: URLSearchParams | undefined
    for (let step = 0; step < 12; step++) {
      const response = await this.#send(next, body)
      const location = response.headers.get('location')
      if (location !== null) {
        next = new URL(location, next)
        body = undefined
        if (next.pathname.startsWith('/sign-in/callback/')) {
          return next.search.slice(1)
        }
        continue
      }
      const page = await response.text()
      const [, action = '', prompt = ''] = /action="([^"]+)"[^]*?name="prompt" value="(\w+)"/.exec(page) ?? []
      if (prompt === '') {
        throw new Error(`The provider shows no form: ${page.slice(0, 2000)}`)
      }
      next = new URL(action, next)
      body = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: name, password: 'any' }) })
    }
    throw new Error('The provider does not come to an end.')
  }

  async #send(url: URL, body: URLSearchParams | undefined): Promise<Response> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie, accept: 'text/html' },
      ...(body && { method: 'POST', body }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(name, value)
    }
    return response
  }
}
