import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { AddressTestDto } from '../../shared/dtos/network.ts'
import type { App } from '../call/call.ts'
import { secureAddresses } from './addresses.ts'

type AddressTest = z.output<typeof AddressTestDto>

const limitMs = 3_000

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused: no program listens on this port.',
  ENOTFOUND: 'This computer cannot look up the name; others may.',
  EAI_AGAIN: 'This computer cannot look up the name; others may.',
  EHOSTUNREACH: 'This computer has no route to this address.',
  ENETUNREACH: 'This computer has no route to this address.',
}

/** SPKI pin of the certificate that a peer presents. Sends no data to the peer, which is unverified. */
const shownPin = (host: string, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, rejectUnauthorized: false, ...(isIP(host) === 0 && { servername: host }) })
    socket.setTimeout(limitMs, () => socket.destroy(new Error(`No answer within ${limitMs / 1000} s.`)))
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      const key = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' })
      socket.destroy()
      resolve(`sha256//${key ? createHash('sha256').update(key).digest('base64') : ''}`)
    })
  })

async function testAddress(address: string, ownPin: string): Promise<AddressTest> {
  const { hostname, port } = new URL(address)
  try {
    const pin = await shownPin(hostname.replace(/^\[|\]$/g, ''), Number(port || 443))
    return pin === ownPin
      ? { address, outcome: 'ours', detail: null }
      : { address, outcome: 'foreign', detail: `The server there has the key ${pin}.` }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    return { address, outcome: 'silent', detail: reasons[code] ?? message }
  }
}

/** Connects to every own address. Reports which server answers, not whether a firewall admits other computers. */
export async function testAddresses(app: App): Promise<AddressTest[]> {
  const ownPin = (await app.tls()).serverPin()
  return Promise.all(secureAddresses(app).map((address) => testAddress(address, ownPin)))
}
