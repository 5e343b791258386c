import { createHash, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { encodeSignedDeviceUpdate } from '../../../shared/dtos/device-signature.ts'
import type { HubServerMethods } from '../../../shared/contract/hub.ts'
import type { agentHub } from '../../../shared/hubs/agent-hub.ts'
import { manualClock } from '../../support/clock.ts'
import { buildDevice } from '../../support/factories.ts'
import { hubConnection, webSocketsOnly } from '../../support/hub-client.ts'
import { useTestServer } from '../../support/server.ts'
import { signedUpdate } from '../../../tools/documents/signed-update.ts'

type Update = Parameters<HubServerMethods<typeof agentHub>['UpdateDeviceSigned']>[0]
const message = () => signedUpdate().message as Update & { dto: object; publicKey: string }

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('the published update is encoded to the published bytes', () => {
  const { dto, timestamp, publicKey } = message()
  const { payload, update } = signedUpdate()
  const bytes = encodeSignedDeviceUpdate(dto, timestamp, publicKey)
  expect({ length: bytes.length, sha256: sha256(bytes) }).toEqual(payload)
  expect(sha256(bytes.subarray(4, 4 + update.length))).toBe(update.sha256)
})

/** Starts a server with the vector's device, at the time of its timestamp. */
async function serverOfTheVector() {
  const { dto, publicKey } = message()
  const server = await useTestServer({ clock: manualClock(Date.parse('2026-01-02T03:04:05.123Z')) })
  const device = buildDevice({ id: dto.id, tenantId: dto.tenantId, publicKey })
  await server.write(async (models, transaction) => {
    await models.Tenant.create({ id: dto.tenantId, name: 'Published', createdAt: 0 }, { transaction })
    await models.Device.create(device, { transaction })
  })
  const connection = hubConnection(`${server.url}/hubs/agent`, webSocketsOnly)
  await connection.start()
  return (update: object) =>
    connection.invoke<{ isSuccess: boolean; reason: string | null; value: unknown }>('UpdateDeviceSigned', update)
}

describe('the real server', () => {
  test('accepts the published update unchanged', async () => {
    const send = await serverOfTheVector()
    expect(await send(message())).toMatchObject({
      isSuccess: true,
      reason: null,
      value: { name: 'büro-01', totalMemory: 16, drives: [{ driveType: 'Fixed' }], isOnline: true },
    })
  })

  test('rejects the published update with any part changed', async () => {
    const send = await serverOfTheVector()
    const { dto, timestamp, ...rest } = message()
    const wrong = [
      { dto: { ...dto, totalMemory: 16.5 }, timestamp, ...rest },
      { dto, timestamp, ...rest, publicKey: null },
      { dto, timestamp: timestamp.replace('4567', '4568'), ...rest },
      { dto: { ...dto, id: dto.id.replace('1', '2') }, timestamp, ...rest },
    ]
    const reasons = []
    for (const update of wrong) {
      reasons.push((await send(update)).reason)
    }
    expect(reasons).toEqual([...Array.from({ length: 3 }, () => 'Signature verification failed.'), 'Unknown device.'])
    expect((await send({ ...message(), dto: { ...dto, tenantId: randomUUID() } })).isSuccess).toBe(false)
  })
})
