import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/*
 * A real OpenID Connect provider in a process of its own, with its own sign-in page: any name signs in, and the address
 * of `ada` is ada@example.org. Prints its issuer.
 */

const server = createServer((request, response) => answer(request, response))
let answer: ReturnType<Provider['callback']> = (_request, response) => void response.writeHead(503).end()

server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'farhand',
        client_secret: 'secret-of-the-client',
        // A native client may use every port of this machine.
        application_type: 'native',
        token_endpoint_auth_method: 'client_secret_basic',
        redirect_uris: ['a', 'b'].flatMap((place) => [
          `http://127.0.0.1/sign-in/callback/${place}`,
          `http://localhost/sign-in/callback/${place}`,
        ]),
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: `id-of-${id}`, email: `${id}@example.org`, email_verified: true, name: id }),
    }),
  })
  answer = provider.callback()
  console.log(`Issuer ${issuer}`)
})
