import { readFileSync } from 'node:fs'
import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'

interface Measured {
  length: number
  sha256: string
}

interface SignedUpdate {
  /** Private key, in hex. */
  seed: string
  message: { dto: DeviceUpdateRequestDto; timestamp: string; signature: string; publicKey: string }
  /** The update as MessagePack, and all that is signed. */
  update: Measured
  payload: Measured
}

/** The signed update that docs/hubs.md publishes; its bytes were cross-checked with independent libraries. */
export const signedUpdate = () =>
  JSON.parse(readFileSync(new URL('../../test/fixtures/signed-update.json', import.meta.url), 'utf8')) as SignedUpdate
