import { createHash, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { encodeSignedDeviceUpdate } from '../../../shared/contract/device-signature.ts'
import type { HubServerMethods } from '../../../shared/contract/hub.ts'
import type { agentHub } from '../../../shared/hubs/agent-hub.ts'
import { manualClock } from '../../support/clock.ts'
import { buildDevice } from '../../support/factories.ts'
import { hubConnection, webSocketsOnly } from '../../support/hub-client.ts'
import { useTestServer } from '../../support/server.ts'

/** The message of the contract's `hubs.md` section 16, as it travels. */
const vector = `{"dto":{"id":"11111111-2222-3333-4444-555555555555","tenantId":"aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee","name":"büro-01","agentVersion":"0.28.1.0","is64Bit":true,"osArchitecture":1,"osDescription":"Ubuntu 24.04.1 LTS","platform":2,"processorCount":8,"cpuUtilization":0.25,"totalMemory":16,"totalStorage":465.63,"usedMemory":7.38,"usedStorage":120.5,"currentUsers":["alice"],"macAddresses":["001122AABBCC"],"localIpV4":"192.168.1.20","localIpV6":"","drives":[{"driveType":"Fixed","rootDirectory":"/","name":"/","driveFormat":"ext4","freeSpace":345.13,"totalSize":465.63,"volumeLabel":"/"}],"dnsHostName":"buero-01"},"timestamp":"2026-01-02T03:04:05.1234567+00:00","signature":"o57I3wT3Ttj10qddkY3dO1Y/Rc8qf7l/n0IMeHShABUteUJKsttD6dj/KAnQ+JpbvN89cUiXH7sdakFpABbEBg==","publicKey":"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="}`

type Update = Parameters<HubServerMethods<typeof agentHub>['UpdateDeviceSigned']>[0]
const message = () => JSON.parse(vector) as Update & { dto: object; publicKey: string }

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('the signed bytes are those of the contract', () => {
  const { dto, timestamp, publicKey } = message()
  const payload = encodeSignedDeviceUpdate(dto, timestamp, publicKey)
  expect([payload.length, sha256(payload)]).toEqual([
    592,
    '0f6b63e7502912977387d96fa76ac58fad02f2f5989979819d41251771f4fd54',
  ])
  expect(sha256(payload.subarray(4, 4 + 533))).toBe('ad06d4113ffa2fd878485732eaab68e0a9c779df93e48c84e89b9b13c43fb9d6')
})

/** A server that knows the device of the vector, at the moment of its timestamp. */
async function serverOfTheVector() {
  const { dto, publicKey } = message()
  const server = await useTestServer({ clock: manualClock(Date.parse('2026-01-02T03:04:05.123Z')) })
  const device = buildDevice({ id: dto.id, tenantId: dto.tenantId, publicKey })
  await server.whileStopped((database, models) =>
    database.write(async (transaction) => {
      await models.Tenant.create({ id: dto.tenantId, name: 'Contract', createdAt: 0 }, { transaction })
      await models.Device.create(device, { transaction })
    }),
  )
  const connection = hubConnection(`${server.url}/hubs/agent`, webSocketsOnly)
  await connection.start()
  return (update: object) =>
    connection.invoke<{ isSuccess: boolean; reason: string | null; value: unknown }>('UpdateDeviceSigned', update)
}

describe('the real server', () => {
  test('takes the vector as it is', async () => {
    const send = await serverOfTheVector()
    expect(await send(message())).toMatchObject({
      isSuccess: true,
      reason: null,
      value: { name: 'büro-01', totalMemory: 16, drives: [{ driveType: 'Fixed' }], isOnline: true },
    })
  })

  test('refuses what the contract says must fail', async () => {
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
