import { Op, type Transaction } from 'sequelize'
import type { PermissionName } from '../../shared/access.ts'
import type { App } from '../call/call.ts'
import { conflict } from '../ground/errors.ts'
import { evaluator, type Holder, type Resource } from '../rights/evaluate.ts'
import { lastingRules } from './assignment-ends.ts'

/** Scope that needs an administrator: the server (null), or a tenant. */
type Place = string | null

const permissionFor = (place: Place): PermissionName =>
  place === null ? 'server.permissions.write' : 'tenant.permissions.write'

const nobodyElse = (place: Place) =>
  conflict(
    `Nobody else could administer this ${place === null ? 'server' : 'tenant'}: give somebody ${permissionFor(place)}, or a service account a key, first.`,
  )

/**
 * Enabled accounts with a usable credential, neither revoked nor expired. Credentials that expire, or that a token
 * made, do not count for a tenant: the tenant would lose its administrator with the credential.
 */
async function usableAccounts({ models, clock }: App, place: Place, transaction: Transaction | null) {
  const lasting = place === null ? { [Op.or]: [null, { [Op.gt]: clock.now() }] } : null
  const credentials = await models.ServiceAccountCredential.findAll({
    where: { revokedAt: null, expiresAt: lasting, madeWith: null },
    attributes: ['serviceAccountId'],
    transaction,
  })
  const id = credentials.map(({ serviceAccountId }) => serviceAccountId)
  return models.ServiceAccount.findAll({ where: { id, tenantId: place, isEnabled: true }, transaction })
}

/** Filters users who can sign in without help; to administer a tenant takes a password. */
const peopleOf = ({ models, config }: App, place: Place, ids: readonly string[], transaction: Transaction | null) =>
  models.User.findAll({
    where: {
      id: [...ids],
      accountType: 'Interactive',
      disabledAt: null,
      ...(place !== null && { tenantId: place, passwordHash: { [Op.ne]: null } }),
      ...(place !== null && config.appOptions.requireUserEmailConfirmation && { isEmailConfirmed: true }),
    },
    attributes: ['id'],
    transaction,
  })

/** Finds those who can administer a scope: people, and the service accounts. */
async function finderOf(app: App, place: Place, transaction: Transaction | null) {
  const { PermissionAssignment, UserGroupMember } = app.models
  const permissionName = permissionFor(place)
  const resource: Resource = place === null ? { kind: 'Server' } : { kind: 'Tenant', tenantId: place }
  const found = await PermissionAssignment.findAll({
    where: { permissionName, scopeId: place === null ? null : { [Op.or]: [null, place] } },
    transaction,
  })
  const rules = await lastingRules(app, transaction, found)
  // Allow rules made by a token are deleted with the token; denials are permanent.
  const counting = rules.filter(({ effect, madeWith }) => effect === 'Deny' || madeWith === null)
  const byPrincipal = Map.groupBy(counting, ({ principalId }) => principalId)
  const memberships = await UserGroupMember.findAll({ where: { groupId: [...byPrincipal.keys()] }, transaction })
  const byUser = Map.groupBy(memberships, ({ userId }) => userId)
  const rulesOf = (id: string) => [
    ...(byPrincipal.get(id) ?? []),
    ...(byUser.get(id) ?? []).flatMap(({ groupId, madeWith }) =>
      (byPrincipal.get(groupId) ?? []).filter(({ effect }) => effect === 'Deny' || madeWith === null),
    ),
  ]
  const administers = (id: string, holder: Holder) => evaluator(rulesOf(id), permissionName, holder)(resource)
  return {
    async people() {
      const people = await peopleOf(app, place, [...byPrincipal.keys(), ...byUser.keys()], transaction)
      return people.filter(({ id }) => administers(id, 'User')).map(({ id }) => id)
    },
    async accounts() {
      const accounts = await usableAccounts(app, place, transaction)
      const holder = place === null ? 'ServerServiceAccount' : 'TenantServiceAccount'
      return accounts
        .filter(({ id, accessMode }) => (place === null && accessMode === 'Unrestricted') || administers(id, holder))
        .map(({ id }) => id)
    },
  }
}

/** Ids of the users and service accounts that can administer the server, read inside the transaction. */
export async function serverAdministrators(app: App, transaction: Transaction): Promise<string[]> {
  const { people, accounts } = await finderOf(app, null, transaction)
  return [...(await people()), ...(await accounts())]
}

/** Whether anybody can administer a scope, read inside the transaction; without one, as the last commit left it. */
async function isAdministered(app: App, place: Place, transaction: Transaction | null): Promise<boolean> {
  const { people, accounts } = await finderOf(app, place, transaction)
  return (await people()).length > 0 || (await accounts()).length > 0
}

/**
 * Throws 409 when the server would have no administrator left after some users are deleted. Called before the deletion,
 * in its transaction.
 */
export async function keepAnAdministrator(app: App, transaction: Transaction, leavingIds: readonly string[]) {
  const leaving = new Set(leavingIds)
  const administrators = await serverAdministrators(app, transaction)
  if (administrators.length > 0 && administrators.every((id) => leaving.has(id))) {
    throw nobodyElse(null)
  }
}

/**
 * Runs `work` inside a transaction. Throws 409 and rolls back when no one could administer the server, or the tenant,
 * afterwards, unless nobody could before. Transactions are serialized, so of two administrators who delete each other concurrently the second is
 * rejected.
 */
export async function keepingAdministrators<T>(
  app: App,
  transaction: Transaction,
  tenantId: string | null,
  work: () => Promise<T>,
): Promise<T> {
  const result = await work()
  for (const place of tenantId === null ? [null] : [null, tenantId]) {
    if (!(await isAdministered(app, place, transaction)) && (await isAdministered(app, place, null))) {
      throw nobodyElse(place)
    }
  }
  return result
}
