import { describe, expect, test } from 'vitest'
import type { Settings } from '../../../agent/trust/settings.ts'
import { enrollmentOf, chooseEnrollment } from '../../../agent/trust/enrollment.ts'
import { readIdentity } from '../../../agent/trust/identity-document.ts'
import type { Authority } from '../../../server/engines/tls/certificates.ts'
import { pinOf } from '../../../server/engines/tls/keys.ts'
import { fingerprintWords } from '../../../shared/fingerprint.ts'
import { documentOf, leafOf, newAuthority, startIdentityServer } from '../../support/identity-server.ts'

const unpinned: Settings['AppOptions'] = {
  DeviceId: '11111111-2222-4333-8444-555555555555',
  PrivateKey: '',
  ServerUri: 'https://127.0.0.1:1',
  TenantId: '11111111-2222-4333-8444-666666666666',
  IsRegistered: true,
  ServerAddresses: undefined,
}

async function startServer(authority: Authority, name: string) {
  const leaf = await leafOf(authority)
  const document = documentOf(authority, leaf, { name, addresses: ['https://192.0.2.1:5121'] })
  const server = await startIdentityServer(leaf, document)
  const known = { ...unpinned, ServerUri: server.url, ...enrollmentOf(readIdentity(document), server.url) }
  return { server, known, words: fingerprintWords(pinOf(authority.key)) }
}

async function choose(
  options: Parameters<typeof chooseEnrollment>[0],
  known?: Settings['AppOptions'],
  isRegistering = true,
) {
  const said: string[] = []
  const enrollment = await chooseEnrollment(options, known, {
    isRegistering,
    say: (sentence) => void said.push(sentence),
  })
  return { enrollment, said: said.join('\n') }
}

describe('the server that a device belongs to', () => {
  test('is that of the pin in the install command, and is named', async () => {
    const authority = await newAuthority()
    const { server, words } = await startServer(authority, 'Shop')
    const { enrollment, said } = await choose({ serverUri: server.url, serverPin: server.pin })
    expect(enrollment).toMatchObject({
      ServerIdentity: pinOf(authority.key),
      ServerAddresses: { Name: 'Shop', Origins: [server.url, 'https://192.0.2.1:5121'], ServerPin: server.pin },
    })
    expect(said).toBe(
      `This device belongs to the server "Shop" with the fingerprint "${words}" from now on and connects to no other server.`,
    )
  })

  test('changes with the pin of another server, and the output names both', async () => {
    const old = await startServer(await newAuthority(), 'Old')
    const authority = await newAuthority()
    const next = await startServer(authority, 'Next')
    const { enrollment, said } = await choose({ serverUri: next.server.url, serverPin: next.server.pin }, old.known)
    expect(enrollment.ServerIdentity).toBe(pinOf(authority.key))
    expect(said).toContain(`belonged to the server "Old" with the fingerprint "${old.words}"`)
    expect(said).toContain(`now belongs to the server "Next" with the fingerprint "${next.words}"`)
  })

  test('stays after a new installation without a pin, from any address of that server', async () => {
    const { known } = await startServer(await newAuthority(), 'Shop')
    for (const serverUri of [known.ServerUri, 'https://192.0.2.1:5121']) {
      expect(await choose({ serverUri }, known)).toEqual({ enrollment: known, said: '' })
    }
  })

  test('accepts any server at the address after an installation from another server without a pin, and the output says so', async () => {
    const { known, words } = await startServer(await newAuthority(), 'Shop')
    const { enrollment, said } = await choose({ serverUri: 'http://192.0.2.9:5120' }, known)
    expect(enrollment.ServerIdentity).toBeUndefined()
    expect(said).toContain(`belonged to the server "Shop" with the fingerprint "${words}"`)
    expect(said).toContain('trusts any server at that address')
  })

  test('stays with an update, whatever address and pin that names', async () => {
    const old = await startServer(await newAuthority(), 'Old')
    const next = await startServer(await newAuthority(), 'Next')
    const options = { serverUri: next.server.url, serverPin: next.server.pin }
    expect(await choose(options, old.known, false)).toEqual({ enrollment: old.known, said: '' })
    expect(next.server.handshakes).toEqual([])
  })

  test('is bound by an update of a device that was not', async () => {
    const authority = await newAuthority()
    const { server } = await startServer(authority, 'Shop')
    const { enrollment } = await choose({ serverUri: server.url, serverPin: server.pin }, unpinned, false)
    expect(enrollment.ServerIdentity).toBe(pinOf(authority.key))
  })
})

describe('a first contact is refused', () => {
  test('over a plain address, before anything is sent', async () => {
    const authority = await newAuthority()
    const serverPin = pinOf(authority.key)
    await expect(choose({ serverUri: 'http://127.0.0.1:1', serverPin })).rejects.toThrow('reached by https only')
  })

  test('where another key is shown, before anything is sent', async () => {
    const { server } = await startServer(await newAuthority(), 'Shop')
    const serverPin = pinOf((await newAuthority()).key)
    await expect(choose({ serverUri: server.url, serverPin })).rejects.toThrow('Nothing was sent to it.')
    expect(server.requests).toEqual([])
  })

  test('where the identity document is for another key, or missing, as behind a proxy', async () => {
    const authority = await newAuthority()
    const { server } = await startServer(authority, 'Shop')
    server.say(documentOf(authority, await leafOf(authority)))
    const options = { serverUri: server.url, serverPin: server.pin }
    await expect(choose(options)).rejects.toThrow('its identity document is for another key. Is a proxy in between?')
    server.say(undefined)
    await expect(choose(options)).rejects.toThrow('it answers 404')
  })

  test('where nobody listens, with what to check', async () => {
    const { server } = await startServer(await newAuthority(), 'Shop')
    await server.close()
    const options = { serverUri: server.url, serverPin: server.pin }
    await expect(choose(options)).rejects.toThrow('the connection was refused. Check that the server is running')
  })
})
