import { randomUUID } from 'node:crypto'
import { sentenceOf } from '../../shared/contract/sentences.ts'
import type { ModelStatic, Transaction, WhereOptions } from 'sequelize'
import type { NamedSetting, NamedSettings } from '../../shared/contract/named-settings.ts'
import type { NamedSettingRequestDto, NamedSettingResponseDto } from '../../shared/dtos/named-setting.ts'
import type { App, OpenCall } from '../call/call.ts'
import { AppError, badRequest } from '../ground/errors.ts'
import { isByLink } from '../ground/principal.ts'
import type { Entity } from '../engines/database/entity.ts'
import type { Models } from '../call/models.ts'

/** Maximum number of unknown settings stored, and of a guest, of whom there may be thousands (limits disk use). */
const maxSettings = { usual: 1_000, guest: 20 }

interface SettingRow {
  id: string
  name: string
  value: string
}

/** Table of settings, and the settings that it has. */
interface Kept<T extends NamedSettings> {
  settings: T
  model(models: Models): unknown
  /** Column of the settings' owner. */
  owner: 'userId' | 'tenantId'
}

type Typed<T extends NamedSettings> = { [K in keyof T]: ReturnType<T[K]['schema']['parse']> | T[K]['fallback'] }
type Given<T extends NamedSettings> = { [K in keyof T]?: ReturnType<T[K]['schema']['parse']> | null | undefined }

/** Stored text of a value; null when nothing is stored. */
const textOf = (setting: NamedSetting, value: unknown) => (value === undefined ? null : setting.toText(value) || null)

function normalized(setting: NamedSetting | undefined, text: string): string | null {
  if (!setting) {
    return text
  }
  const { data, error } = setting.schema.safeParse(setting.fromText(text), { error: sentenceOf })
  if (error) {
    const messages = error.issues.map(({ message }) => message)
    throw new AppError(400, `value ${messages.join(', ')}`, { title: 'Validation Failed', fields: { value: messages } })
  }
  return textOf(setting, data)
}

/** Parses a stored value with its setting; unparsable values count as unset. */
const valueOf = (setting: NamedSetting, text: string | undefined) =>
  (text === undefined ? undefined : setting.schema.safeParse(setting.fromText(text)).data) ?? setting.fallback

/** Records the setting of a tenant; preferences of a person are not in the audit log. */
async function recordSetting(
  { app, actor }: OpenCall,
  transaction: Transaction,
  owner: 'userId' | 'tenantId',
  tenantId: string,
  { name, value }: { name: string; value: string | null },
) {
  if (owner === 'tenantId') {
    const target = { kind: 'setting', name } as const
    await app.audit.recordIn(transaction, actor, [
      { kind: 'settings.tenant-changed', tenantId, target, details: { value } },
    ])
  }
}

/** Named settings of users or tenants: accessible by name as text, or together as a typed object. */
export function namedSettings<T extends NamedSettings>({ settings, model, owner }: Kept<T>) {
  const modelIn = ({ models }: App) => model(models) as ModelStatic<Entity<SettingRow>>
  const whose = (ownerId: string, name?: string) =>
    ({ [owner]: ownerId, ...(name !== undefined && { name }) }) as WhereOptions<SettingRow>
  const entries = Object.entries(settings)
  const byName = new Map(entries.map(([, setting]) => [setting.name, setting]))

  const getAll = async ({ app }: OpenCall, ownerId: string): Promise<Typed<T>> => {
    const rows = await modelIn(app).findAll({ where: whose(ownerId) })
    const texts = new Map(rows.map(({ name, value }) => [name, value]))
    return Object.fromEntries(
      entries.map(([member, setting]) => [member, valueOf(setting, texts.get(setting.name))]),
    ) as Typed<T>
  }

  return {
    getAll,

    /** Returns the setting as stored, or undefined when unset. */
    async get({ app }: OpenCall, ownerId: string, name: string): Promise<NamedSettingResponseDto | undefined> {
      const row = await modelIn(app).findOne({ where: whose(ownerId, name) })
      return row ? { id: row.id, name: row.name, value: row.value } : undefined
    },

    /** Stores a setting; a blank value removes it. Values of unknown names are stored unchanged. */
    async set(call: OpenCall, ownerId: string, given: NamedSettingRequestDto): Promise<NamedSettingResponseDto> {
      const { app } = call
      const { name } = given
      const text = given.value?.trim() ?? ''
      const value = text === '' ? null : normalized(byName.get(name), text)
      return app.database.write(async (transaction) => {
        const row = await modelIn(app).findOne({ where: whose(ownerId, name), transaction })
        await recordSetting(call, transaction, owner, ownerId, { name, value })
        if (value === null) {
          await row?.destroy({ transaction })
          return { id: null, name, value }
        }
        if (row) {
          await row.update({ value }, { transaction })
          return { id: row.id, name, value }
        }
        const most = maxSettings[call.principal && isByLink(call.principal) ? 'guest' : 'usual']
        if (!byName.has(name) && (await modelIn(app).count({ where: whose(ownerId), transaction })) >= most) {
          throw badRequest(`At most ${most} settings can be kept: remove some first.`)
        }
        const stored = { id: randomUUID(), [owner]: ownerId, name, value }
        await modelIn(app).create(stored, { transaction })
        return { id: stored.id, name, value }
      })
    },

    /**
     * Sets every known setting. A setting without a value gets its default, or is removed where unset is a distinct
     * state.
     */
    async replaceAll(call: OpenCall, ownerId: string, given: Given<T>): Promise<Typed<T>> {
      const { app } = call
      await app.database.write(async (transaction) => {
        const rows = await modelIn(app).findAll({ where: whose(ownerId), transaction })
        const known = new Map(rows.map((row) => [row.name, row]))
        for (const [member, setting] of entries) {
          const { name, fallback, blank } = setting
          const row = known.get(name)
          const value = textOf(setting, given[member] ?? (fallback === null ? undefined : blank))
          if (value !== (row?.value ?? null)) {
            await recordSetting(call, transaction, owner, ownerId, { name, value })
          }
          if (value === null) {
            await row?.destroy({ transaction })
          } else if (!row) {
            await modelIn(app).create({ id: randomUUID(), [owner]: ownerId, name, value }, { transaction })
          } else if (row.value !== value) {
            await row.update({ value }, { transaction })
          }
        }
      })
      return getAll(call, ownerId)
    },

    async delete(call: OpenCall, ownerId: string, name: string): Promise<void> {
      const { app } = call
      await app.database.write(async (transaction) => {
        if ((await modelIn(app).destroy({ where: whose(ownerId, name), transaction })) > 0) {
          await recordSetting(call, transaction, owner, ownerId, { name, value: null })
        }
      })
    },
  }
}
