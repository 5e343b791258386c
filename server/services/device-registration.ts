import { randomUUID } from 'node:crypto'
import { zeroId } from '../../shared/contract/fields.ts'
import type { RegisterDeviceRequestDto } from '../../shared/api/agent-devices.ts'
import type { App } from '../context.ts'
import { badRequest, forbidden } from '../errors.ts'
import type { DeviceRow, DeviceState } from '../models/device.ts'
import type { InstallerKeyRow } from '../models/installer-key.ts'
import { evaluator } from '../policies/evaluate.ts'
import { deviceResource } from '../policies/device.ts'
import { isPublicKey } from './device-signatures.ts'
import { publicAddress } from './fleet.ts'
import { checkInstallerKey } from './installer-keys.ts'

/** A known device may be registered again only with a key whose creator still may install on it (T14). */
async function checkCreator(app: App, key: InstallerKeyRow, device: DeviceState) {
  if (!(await app.models.User.findByPk(key.creatorId))) {
    throw badRequest('The installer key is not valid.')
  }
  if (!evaluator(app.rules.of(key.creatorId), 'agent.install')(deviceResource(device))) {
    throw forbidden('The creator of this installer key may not install agents on this device.')
  }
}

/**
 * Registers a device with an installer key, or registers a known one again with a new public key. The checks and their
 * order are the contract's `agent.md` section 2; the use of the key and the device are stored in one transaction.
 */
export async function registerDevice(
  app: App,
  { device, installerKeyId, installerKeySecret, publicKey }: RegisterDeviceRequestDto,
  remoteAddress: string,
): Promise<DeviceState> {
  const { id, tenantId, ...report } = device
  if (id === zeroId) {
    throw badRequest('device.id must be a non-empty GUID.')
  }
  if (publicKey != null && !isPublicKey(publicKey)) {
    throw badRequest('publicKey must be the base64 of 32 bytes.')
  }
  const key = await checkInstallerKey(app, installerKeyId, installerKeySecret)
  if (tenantId != null && tenantId !== zeroId && tenantId !== key.tenantId) {
    throw badRequest('The installer key belongs to another tenant.')
  }
  const known = app.fleet.get(id)
  if (known && known.tenantId !== key.tenantId) {
    throw badRequest('Device already exists in another tenant.')
  }
  if (known) {
    await checkCreator(app, key, known)
  }
  const now = app.clock.now()
  const row: DeviceRow = {
    ...report,
    id,
    tenantId: key.tenantId,
    createdAt: known?.createdAt ?? now,
    lastSeen: now,
    alias: known?.alias ?? null,
    publicKey: publicKey ?? known?.publicKey ?? null,
    ...publicAddress(remoteAddress, known),
  }
  await app.database.write(async (transaction) => {
    // Checked again under the write lock: somebody else may have taken the last use.
    await checkInstallerKey(app, installerKeyId, installerKeySecret, transaction)
    const usage = { id: randomUUID(), keyId: key.id, deviceId: id, timestamp: now, remoteIpAddress: remoteAddress }
    await app.models.InstallerKeyUsage.create(usage, { transaction })
    await (known
      ? app.models.Device.update(row, { where: { id }, transaction })
      : app.models.Device.create(row, { transaction }))
  })
  const stored = app.fleet.put(row)
  if (known && known.connectionId !== '') {
    // The connection was proved with the key that has just been replaced.
    app.hubs.agent.disconnect(known.connectionId)
  }
  app.log.info({ deviceId: id, keyId: key.id, remoteAddress }, 'A device registered.')
  return stored
}
