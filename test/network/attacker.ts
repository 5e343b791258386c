import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeAuthority, makeLeaf } from '../../server/engines/tls/certificates.ts'
import { newKey } from '../../server/engines/tls/keys.ts'
import type { ImpostorPlan } from '../support/impostor.ts'
import type { Host, HostProgram } from '../support/network-hosts.ts'
import { until } from '../support/until.ts'

const program = join(import.meta.dirname, '../support/impostor.ts')
const liar = join(import.meta.dirname, 'liar.ts')

/** PEM of a certificate with its key, by an authority that resembles ours. */
export async function foreignCertificate(names: readonly string[]) {
  const [authorityKey, key] = [await newKey(), await newKey()]
  const authority = await makeAuthority(authorityKey, Date.now())
  const leaf = await makeLeaf(authority, key, names, Date.now())
  return {
    authority: authority.certificate.toString(),
    certificate: leaf.toString(),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** Host on the network that impersonates the appliance. */
export class Attacker {
  readonly host: Host
  /** File with the certificate of its authority. */
  readonly authority: string
  readonly #files: { certificate: string; key: string }
  #records: string[] = []

  private constructor(host: Host, files: { certificate: string; key: string }) {
    this.host = host
    this.#files = files
    this.authority = join(host.folder, 'authority.pem')
  }

  static async on(host: Host): Promise<Attacker> {
    const { authority, certificate, key } = await foreignCertificate([host.address, 'farhand.lan'])
    const files = { certificate: join(host.folder, 'certificate.pem'), key: join(host.folder, 'key.pem') }
    writeFileSync(files.certificate, certificate)
    writeFileSync(files.key, key)
    const attacker = new Attacker(host, files)
    writeFileSync(attacker.authority, authority)
    return attacker
  }

  /** Serves these bodies at a port of its host. */
  answer(port: number, answers: Record<string, string>): Promise<HostProgram> {
    return this.#start({ port, answers })
  }

  /** Forwards a port of its host to a door. */
  forward(port: number, upstream: string): Promise<HostProgram> {
    return this.#start({ port, upstream })
  }

  /** Announces a server with the key of another server. */
  announce(name: string, authority: string, port: number): Promise<HostProgram> {
    return this.#run([liar, name, authority, String(port)])
  }

  async #start(plan: Pick<ImpostorPlan, 'port' | 'answers' | 'upstream'>): Promise<HostProgram> {
    const record = join(this.host.folder, `record-${this.#records.length}`)
    this.#records.push(record)
    return await this.#run([program, JSON.stringify({ ...plan, ...this.#files, record })])
  }

  async #run(args: readonly string[]): Promise<HostProgram> {
    const running = this.host.start([process.execPath, ...args])
    const failed = running.ended.then(({ output }) => Promise.reject(new Error(`The attacker ended: ${output}`)))
    await Promise.race([until(() => running.output().includes('open')), failed])
    return running
  }

  #text(kind: 'heard' | 'read') {
    return this.#records
      .map((record) => `${record}.${kind}`)
      .map((file) => (existsSync(file) ? readFileSync(file, 'latin1') : ''))
      .join('')
  }

  /** Number of received bytes. */
  heard(): number {
    return this.#text('heard').length
  }

  /** Decrypted part of the received bytes. */
  read(): string {
    return this.#text('read')
  }

  /** Method and path of each decrypted HTTP request. */
  requests(): string[] {
    return [...this.read().matchAll(/^([A-Z]+ \S+) HTTP\/1\.[01]\r$/gm)].map(([, request]) => request ?? '')
  }
}
