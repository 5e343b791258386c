import { encodeSignedDeviceUpdate } from '../../shared/dtos/device-signature.ts'
import { ownAgentMake, type DeviceUpdateRequestDto, type SignedDeviceUpdateDto } from '../../shared/dtos/device.ts'
import type { Identity } from '../trust/identity.ts'

/** Signs a device update over its MessagePack encoding (`docs/hubs.md`, "What is signed"). */
export function signUpdate(dto: DeviceUpdateRequestDto, identity: Identity, nowMs: number): SignedDeviceUpdateDto {
  const timestamp = new Date(nowMs).toISOString().replace('Z', '+00:00')
  const message = encodeSignedDeviceUpdate(dto, timestamp, identity.publicKey)
  const signature = Buffer.from(identity.sign(message)).toString('base64')
  return { dto, timestamp, signature, publicKey: identity.publicKey, agentMake: ownAgentMake }
}
