import { randomUUID } from 'node:crypto'
import { sentenceOf } from '../../shared/contract/sentences.ts'
import type { Transaction } from 'sequelize'
import { z } from 'zod'
import { presets, type PresetName } from '../../shared/access.ts'
import { resourceName, resourceText, zeroId } from '../../shared/contract/fields.ts'
import { newPassword } from '../../shared/dtos/user.ts'
import { hashPassword } from './password-hash.ts'
import { hashSecret } from '../engines/secrets/hashes.ts'
import type { App, OpenCall } from '../call/call.ts'
import type { PersonalAccessTokenRow, ServiceAccountRow, ServiceAccountCredentialRow } from '../credentials/tables.ts'
import { StartError } from '../ground/start-error.ts'
import { recordChange, recordChanges } from '../rights/authorization-log.ts'
import { seedPresets } from '../assignments/presets.ts'
import { newUser } from '../people/users.ts'

const tokenId = z.string().refine((id) => id !== zeroId, 'must not be the zero GUID: no key can name it')
const secret = z
  .string()
  .regex(/^[!-~][ -~]*[!-~]$/, 'must consist of ASCII characters without blanks around them: it travels in a header')

/** Constraints on the values, beyond their types in the configuration. */
const Settings = z.object({
  serverServiceAccountName: resourceName.optional(),
  serverServiceAccountTokenId: tokenId.optional(),
  serverServiceAccountTokenSecret: secret.optional(),
  serverServiceAccountId: z.string().optional(),
  serverServiceAccountDescription: resourceText,
  adminEmail: z.string().trim().toLowerCase().pipe(z.email('must be an e-mail address').max(256)).optional(),
  adminPassword: newPassword.optional(),
  adminPatTokenId: tokenId.optional(),
  adminPatSecret: secret.optional(),
})
type Settings = z.output<typeof Settings>

/** Throws a `StartError` that names the invalid keys, but no values. */
function readSettings({ config }: App): Settings {
  const { data, error } = Settings.safeParse(config.bootstrap, { error: sentenceOf })
  if (error) {
    const problems = error.issues.map(({ path, message }) => {
      const name = String(path[0])
      return `Bootstrap__${name[0]!.toUpperCase()}${name.slice(1)} ${message}.`
    })
    throw new StartError(problems.join('\n'))
  }
  return data
}

/** Rejects a used id with a helpful text; the insert would fail with a less helpful one. */
async function rejectUsed(rows: { count(options: object): Promise<number> }, id: string, key: string, within: object) {
  if ((await rows.count({ where: { id }, ...within })) > 0) {
    throw new StartError(`Bootstrap__${key} ${id} is in use already. Choose another GUID.`)
  }
}

/**
 * Stores the account with its first credential, unless an account of that name exists; existing accounts remain
 * unchanged.
 */
async function storeAccount(
  call: OpenCall,
  transaction: Transaction,
  account: ServiceAccountRow,
  credential: ServiceAccountCredentialRow,
): Promise<boolean> {
  const { ServiceAccount, ServiceAccountCredential } = call.app.models
  if ((await ServiceAccount.count({ where: { tenantId: null, name: account.name }, transaction })) > 0) {
    return false
  }
  await rejectUsed(ServiceAccount, account.id, 'ServerServiceAccountId', { transaction })
  await rejectUsed(ServiceAccountCredential, credential.id, 'ServerServiceAccountTokenId', { transaction })
  await ServiceAccount.create(account, { transaction })
  await ServiceAccountCredential.create(credential, { transaction })
  const { secretHash: _, ...loggedCredential } = credential
  await recordChanges(call, transaction, [
    {
      actionType: 'service-account-created',
      targetType: 'ServiceAccount',
      targetId: account.id,
      tenantId: null,
      after: account,
    },
    {
      actionType: 'service-account-credential-created',
      targetType: 'ServiceAccountCredential',
      targetId: credential.id,
      tenantId: null,
      after: loggedCredential,
    },
  ])
  return true
}

async function makeServiceAccount(call: OpenCall, settings: Settings): Promise<void> {
  const { app } = call
  const {
    serverServiceAccountName: name,
    serverServiceAccountTokenId: credentialId,
    serverServiceAccountTokenSecret: plainText,
    serverServiceAccountId: id = randomUUID(),
    serverServiceAccountDescription: description,
  } = settings
  if (name === undefined || credentialId === undefined || plainText === undefined) {
    return
  }
  const createdAt = app.clock.now()
  const account: ServiceAccountRow = {
    id,
    tenantId: null,
    name,
    description: description ?? null,
    isEnabled: true,
    accessMode: 'Unrestricted',
    createdAt,
  }
  const credential: ServiceAccountCredentialRow = {
    id: credentialId,
    serviceAccountId: id,
    name: 'Bootstrap Credential',
    secretHash: hashSecret(plainText),
    createdAt,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    madeWith: null,
  }
  if (await app.database.write((transaction) => storeAccount(call, transaction, account, credential))) {
    app.log.info(
      { actor: call.actor, serviceAccountId: id, credentialId },
      'The service account of the configuration was created.',
    )
  }
}

/** Stores the token of the first user, in the transaction of the user. */
async function storeToken(call: OpenCall, transaction: Transaction, tenantId: string, token: PersonalAccessTokenRow) {
  const { PersonalAccessToken } = call.app.models
  await rejectUsed(PersonalAccessToken, token.id, 'AdminPatTokenId', { transaction })
  await PersonalAccessToken.create(token, { transaction })
  const { userId, name, permissionMode } = token
  await recordChange(call, transaction, {
    actionType: 'credential-scope-set',
    targetType: 'PersonalAccessToken',
    targetId: token.id,
    tenantId,
    after: { userId, name, permissionMode, scopes: [] },
  })
}

async function makeAdministrator(call: OpenCall, settings: Settings): Promise<void> {
  const { app } = call
  const { adminEmail: email, adminPassword, adminPatTokenId, adminPatSecret } = settings
  const { models } = app
  if (email === undefined || adminPassword === undefined || (await models.User.count()) > 0) {
    return
  }
  const createdAt = app.clock.now()
  const tenant = { id: randomUUID(), name: email, createdAt }
  const passwordHash = await hashPassword(adminPassword)
  const user = newUser({ tenantId: tenant.id, email, passwordHash, isEmailConfirmed: true, createdAt })
  await app.database.write(async (transaction) => {
    await models.Tenant.create(tenant, { transaction })
    await models.User.create(user, { transaction })
    const everything = Object.keys(presets) as PresetName[]
    await seedPresets(call, transaction, { kind: 'User', id: user.id }, everything, tenant.id)
    if (adminPatTokenId !== undefined && adminPatSecret !== undefined) {
      await storeToken(call, transaction, tenant.id, {
        id: adminPatTokenId,
        userId: user.id,
        name: 'Bootstrap Admin PAT',
        secretHash: hashSecret(adminPatSecret),
        permissionMode: 'InheritOwner',
        createdAt,
        lastUsed: null,
        expiresAt: null,
        madeWith: null,
      })
    }
  })
  app.log.info(
    { actor: call.actor, userId: user.id, tenantId: tenant.id },
    'The administrator of the configuration was created.',
  )
}

/**
 * Creates the accounts in the configuration at the first start: a server service account, and the first user with a
 * tenant. Existing accounts remain unchanged, even if the configuration has changed.
 */
export async function bootstrap(call: OpenCall): Promise<void> {
  const settings = readSettings(call.app)
  await makeServiceAccount(call, settings)
  await makeAdministrator(call, settings)
}
