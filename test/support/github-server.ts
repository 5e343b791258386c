import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface GitHubUser {
  id: number
  login: string
  email: string
  /** Whether GitHub has verified the address; true if omitted. */
  isVerified?: boolean
}

/** An OAuth 2 server with the addresses and answers of GitHub Enterprise Server; signs everybody in as `user`. */
export async function startGitHub(user: GitHubUser) {
  const codes = new Map<string, { challenge: string; redirectUri: string }>()
  const tokens = new Set<string>()
  const authorize = ({ searchParams }: URL) => {
    const code = randomBytes(10).toString('hex')
    const redirectUri = searchParams.get('redirect_uri') ?? ''
    codes.set(code, { challenge: searchParams.get('code_challenge') ?? '', redirectUri })
    return `${redirectUri}?${new URLSearchParams({ code, state: searchParams.get('state') ?? '' })}`
  }
  const exchange = (form: URLSearchParams) => {
    const code = form.get('code') ?? ''
    const grant = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight =
      form.get('client_secret') === 'secret-of-the-client' && form.get('redirect_uri') === grant?.redirectUri
    // GitHub reports errors with status 200.
    if (!isRight || grant.challenge !== challenge) {
      return { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' }
    }
    const token = `gho_${randomBytes(20).toString('hex')}`
    tokens.add(token)
    return { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' }
  }
  const read = (path: string, authorization = '') => {
    if (!tokens.has(authorization.replace(/^bearer /i, ''))) {
      return undefined
    }
    return path === '/api/v3/user'
      ? { id: user.id, login: user.login }
      : [{ email: user.email, primary: true, verified: user.isVerified ?? true }]
  }
  const server = createServer((request, response) => {
    const respond = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const url = new URL(request.url ?? '', 'http://localhost')
    if (url.pathname === '/login/oauth/authorize') {
      response.writeHead(302, { location: authorize(url) }).end()
    } else if (url.pathname === '/login/oauth/access_token') {
      // A client that disconnects in the middle needs no answer.
      text(request).then(
        (body) => respond(200, exchange(new URLSearchParams(body))),
        () => {},
      )
    } else {
      const found = read(url.pathname, request.headers.authorization)
      respond(found ? 200 : 401, found ?? { message: 'Bad credentials' })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}
