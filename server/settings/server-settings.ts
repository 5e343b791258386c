import { settingRows } from './keys.ts'
import { storableSettings, type StorableSetting, type StoredTexts } from './stored-settings.ts'
import type { App, Call } from '../call/call.ts'
import { AppError, badRequest, conflict, forbidden } from '../ground/errors.ts'
import { refuseRestrictedToken } from '../rights/restricting-token.ts'
import { holds } from '../rights/rights.ts'
import type { SettingInForce } from './present.ts'

const variableOf = (key: string) => `Service_${key}`
const sealContext = (key: string) => `server-settings/${key}`

/** Reads the stored settings. A secret that cannot be unsealed counts as not stored. */
export async function readStoredSettings({
  models,
  sealer,
  log,
}: Pick<App, 'models' | 'sealer' | 'log'>): Promise<StoredTexts> {
  const texts = new Map<string, string>()
  for (const { key, value } of await models.ServerSetting.findAll()) {
    try {
      texts.set(key, storableSettings.get(key)?.row.secret ? sealer.unseal(value, sealContext(key)).toString() : value)
    } catch (error) {
      log.warn({ err: error, key }, 'A stored setting cannot be read. Enter it again on the Server page.')
    }
  }
  return texts
}

/** All settings that have an effect. */
export function settingsInForce({ config, storedSettings }: App): SettingInForce[] {
  const used = settingRows.filter(({ key, instead }) => instead === undefined || config.sources.get(key) !== 'default')
  return used.map((row) => {
    const storable = storableSettings.get(row.key)
    const stored = storedSettings.texts.get(row.key)
    const lockedBy = storable ? storedSettings.lockedBy(row.key) : []
    const isInForce = stored !== undefined && lockedBy.length === 0 && storable?.kind.read(stored) !== undefined
    return {
      row,
      storable,
      text: isInForce ? stored : config.texts.get(row.key),
      source: isInForce ? 'stored' : config.sources.get(row.key),
      isStored: stored !== undefined,
      lockedBy: lockedBy.map(variableOf),
    }
  })
}

/** A change of one setting; undefined removes the stored value. */
interface SettingChange extends StorableSetting {
  key: string
  text: string | undefined
}

function changeOf({ app, principal }: Call, key: string, value: string | null): SettingChange {
  const found = storableSettings.get(key)
  if (!found) {
    throw badRequest(`${key.slice(0, 100)} is not a setting that can be stored. Set it in a file or the environment.`)
  }
  if (found.group === 'decommission') {
    throw badRequest(`${key} is changed by POST /api/appliance/v1/server/decommission, with the name of the server.`)
  }
  if (found.group === 'mail' && !holds(app, principal, 'server.permissions.write')) {
    throw forbidden('Mail settings may only be changed with the permission server.permissions.write.')
  }
  if (found.group === 'mail') {
    // Another mail server reads the links that set new passwords.
    refuseRestrictedToken(app, principal)
  }
  const text = value?.trim() || undefined
  const lockedBy = app.storedSettings.lockedBy(key)
  if (text !== undefined && lockedBy.length > 0) {
    throw conflict(
      `${lockedBy.map(variableOf).join(' and ')} decide ${key}: change it there and start the server again.`,
    )
  }
  if (text !== undefined && found.kind.read(text) === undefined) {
    const message = `must be ${found.kind.allowed}`
    throw new AppError(400, `${key} ${message}`, { fields: { [key]: [message] } })
  }
  return { ...found, key, text }
}

/** Refuses what would send a secret elsewhere, or leave nobody able to confirm an address. */
function checkTogether({ storedSettings, config }: App, texts: StoredTexts, changes: readonly SettingChange[]) {
  const entered = new Set(changes.flatMap(({ key, text }) => (text === undefined ? [] : [key])))
  const secret = storedSettings.misdirectedSecret(texts, entered)
  if (secret !== undefined) {
    throw badRequest(
      `Enter ${secret} again, or remove it: it was entered for another place and is not sent to a new one.`,
    )
  }
  const isOff = texts.get('AppOptions__DisableEmailSending')?.toLowerCase() === 'true'
  if (isOff && config.appOptions.requireUserEmailConfirmation) {
    throw conflict(
      'Service_AppOptions__RequireUserEmailConfirmation needs mail: new people could not confirm their address.',
    )
  }
}

/**
 * Stores settings and removes stored ones, all or none, and puts them into force. Removing runs the same checks as
 * storing. Throws 400, 403 or 409 without any change.
 */
export async function changeServerSettings(
  call: Call,
  wanted: readonly { key: string; value: string | null }[],
): Promise<void> {
  const { app, actor } = call
  if (new Set(wanted.map(({ key }) => key)).size < wanted.length) {
    throw badRequest('A setting is named twice.')
  }
  const changes = wanted.map(({ key, value }) => changeOf(call, key, value))
  await app.storedSettings.changes.run(async () => {
    const before = app.storedSettings.texts
    const after = new Map(before)
    const made = changes.filter(({ key, text }) => text !== before.get(key))
    for (const { key, text } of made) {
      if (text === undefined) {
        after.delete(key)
      } else {
        after.set(key, text)
      }
    }
    checkTogether(app, after, changes)
    await app.database.write(async (transaction) => {
      for (const { key, text, row } of made) {
        if (text === undefined) {
          await app.models.ServerSetting.destroy({ where: { key }, transaction })
        } else {
          const value = row.secret ? app.sealer.seal(text, sealContext(key)) : text
          await app.models.ServerSetting.upsert({ key, value }, { transaction })
        }
      }
      await app.audit.recordIn(
        transaction,
        actor,
        made.map(({ key, text, row }) => ({
          kind: text === undefined ? 'settings.server-setting-reset' : 'settings.server-setting-changed',
          tenantId: null,
          target: { kind: 'setting', name: key },
          details: row.secret ? {} : { before: before.get(key), ...(text !== undefined && { value: text }) },
        })),
      )
    })
    app.storedSettings.apply(after)
  })
}
