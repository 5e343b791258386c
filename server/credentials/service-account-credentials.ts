import { randomUUID } from 'node:crypto'
import { Op, type Transaction } from 'sequelize'
import type { CreateServiceAccountCredentialRequestDto } from '../../shared/dtos/service-account-requests.ts'
import { formatKey } from './key-format.ts'
import { hashSecret, newSecret } from '../engines/secrets/hashes.ts'
import type { Call } from '../call/call.ts'
import { checkRowLimit } from '../call/check-row-limit.ts'
import { badRequest, forbidden, found, invalid } from '../ground/errors.ts'
import { rowOf } from '../engines/database/entity.ts'
import type { ServiceAccountCredentialRow } from './tables.ts'
import { checkMayMakeKey } from './rights.ts'
import { keepingAdministrators } from '../assignments/last-administrator.ts'
import { recordChange } from '../rights/authorization-log.ts'
import type { Change } from '../rights/change.ts'
import { askProofForAccount, findServiceAccount, type Owner } from './service-accounts.ts'

/** Credential as stored in the log. */
const withoutSecret = ({ secretHash: _, lastUsedAt: __, ...credential }: ServiceAccountCredentialRow) => credential

const logEntry = (
  action: 'created' | 'revoked' | 'deleted',
  owner: Owner,
  credential: ServiceAccountCredentialRow,
): Pick<Change, 'actionType' | 'targetType' | 'targetId' | 'tenantId'> => ({
  actionType: `service-account-credential-${action}`,
  targetType: 'ServiceAccountCredential',
  targetId: credential.id,
  tenantId: owner,
})

/** Creates a credential of an enabled account; `key` is never returned again. */
export async function createCredential(
  call: Call,
  owner: Owner,
  serviceAccountId: string,
  { name, expiresAt }: CreateServiceAccountCredentialRequestDto,
): Promise<{ credential: ServiceAccountCredentialRow; key: string }> {
  const { app, principal } = call
  const now = app.clock.now()
  const secret = newSecret()
  const draft: ServiceAccountCredentialRow = {
    id: randomUUID(),
    serviceAccountId,
    name,
    secretHash: hashSecret(secret),
    createdAt: now,
    expiresAt: expiresAt == null ? null : Date.parse(expiresAt),
    revokedAt: null,
    lastUsedAt: null,
    madeWith: null,
  }
  const credential = await app.database.write(async (transaction) => {
    const account = await findServiceAccount(app, owner, serviceAccountId, transaction)
    const made = { ...draft, madeWith: checkMayMakeKey(app, principal, account) }
    if (!account.isEnabled) {
      throw forbidden('This service account is disabled: enable it first.')
    }
    if (made.expiresAt !== null && made.expiresAt <= now) {
      throw invalid({ expiresAt: ['must be in the future'] })
    }
    const { ServiceAccountCredential } = app.models
    const valid = { serviceAccountId, revokedAt: null, expiresAt: { [Op.or]: [null, { [Op.gt]: now }] } }
    // A key that still works cannot be purged: it has to be revoked first.
    const advice = 'Revoke some that are not needed any more.'
    await checkRowLimit('valid keys of a service account', ServiceAccountCredential, valid, transaction, { advice })
    await ServiceAccountCredential.create(made, { transaction })
    await recordChange(call, transaction, {
      ...logEntry('created', owner, made),
      after: withoutSecret(made),
    })
    return made
  })
  return { credential, key: formatKey({ id: credential.id, secret }) }
}

interface CredentialPath {
  serviceAccountId: string
  credentialId: string
}

/** Finds a credential to end. Asks for a recent proof where its account holds management permissions. */
async function findCredential(
  call: Call,
  owner: Owner,
  { serviceAccountId, credentialId }: CredentialPath,
  transaction: Transaction,
) {
  const { app } = call
  askProofForAccount(call, await findServiceAccount(app, owner, serviceAccountId, transaction))
  const where = { id: credentialId, serviceAccountId }
  return found(await app.models.ServiceAccountCredential.findOne({ where, transaction }), 'credential')
}

/** Revokes a credential, which is rejected from the moment this resolves. A revoked credential remains unchanged. */
export async function revokeCredential(call: Call, owner: Owner, path: CredentialPath): Promise<void> {
  const { app } = call
  await app.database.write(async (transaction) => {
    const credential = await findCredential(call, owner, path, transaction)
    if (credential.revokedAt !== null) {
      return
    }
    const before = rowOf(credential)
    const after = { ...before, revokedAt: app.clock.now() }
    await keepingAdministrators(app, transaction, owner, () => credential.update(after, { transaction }))
    await recordChange(call, transaction, {
      ...logEntry('revoked', owner, before),
      before: withoutSecret(before),
      after: withoutSecret(after),
    })
  })
}

/** Deletes a credential. Throws 400 unless the credential is revoked or expired. */
export async function purgeCredential(call: Call, owner: Owner, path: CredentialPath): Promise<void> {
  const { app } = call
  await app.database.write(async (transaction) => {
    const credential = await findCredential(call, owner, path, transaction)
    const { revokedAt, expiresAt } = credential
    if (revokedAt === null && (expiresAt === null || expiresAt > app.clock.now())) {
      throw badRequest('Only revoked or expired credentials can be deleted. Revoke the credential first.')
    }
    const before = rowOf(credential)
    await credential.destroy({ transaction })
    await recordChange(call, transaction, {
      ...logEntry('deleted', owner, before),
      before: withoutSecret(before),
    })
  })
}
