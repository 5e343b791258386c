import { Op, type Transaction } from 'sequelize'
import type { PermissionName } from '../../../shared/access.ts'
import type { App } from '../../call.ts'
import { conflict } from '../../errors.ts'
import { evaluator, type Holder, type Resource } from '../../policies/evaluate.ts'

/** What somebody has to be able to administer: the server (null), or a tenant. */
type Place = string | null

const permissionFor = (place: Place): PermissionName =>
  place === null ? 'server.permissions.write' : 'tenant.permissions.write'

const nobodyElse = (place: Place) =>
  conflict(
    `Nobody else could administer this ${place === null ? 'server' : 'tenant'}: give somebody ${permissionFor(place)}, or a service account a key, first.`,
  )

/**
 * Enabled accounts that somebody can use: with a credential that is neither revoked nor expired. One that ends, or goes
 * with the token that made it, keeps no tenant.
 */
async function usableAccounts({ models, clock }: App, place: Place, transaction: Transaction) {
  const lasting = place === null ? { [Op.or]: [null, { [Op.gt]: clock.now() }] } : null
  const credentials = await models.ServiceAccountCredential.findAll({
    where: { revokedAt: null, expiresAt: lasting, madeWith: null },
    attributes: ['serviceAccountId'],
    transaction,
  })
  const id = credentials.map(({ serviceAccountId }) => serviceAccountId)
  return models.ServiceAccount.findAll({ where: { id, tenantId: place, isEnabled: true }, transaction })
}

/** Of some people those who can sign in by themselves; to keep a tenant it takes a password. */
const peopleOf = ({ models, config }: App, place: Place, ids: readonly string[], transaction: Transaction) =>
  models.User.findAll({
    where: {
      id: [...ids],
      accountType: 'Interactive',
      ...(place !== null && { tenantId: place, passwordHash: { [Op.ne]: null } }),
      ...(place !== null && config.appOptions.requireUserEmailConfirmation && { isEmailConfirmed: true }),
    },
    attributes: ['id'],
    transaction,
  })

/** Ids of the users and service accounts that can administer a place, as the transaction sees it. */
async function administratorsNow(app: App, place: Place, transaction: Transaction): Promise<string[]> {
  const { PermissionAssignment, UserGroupMember } = app.models
  const permissionName = permissionFor(place)
  const resource: Resource = place === null ? { kind: 'Server' } : { kind: 'Tenant', tenantId: place }
  const rules = await PermissionAssignment.findAll({
    where: { permissionName, scopeId: place === null ? null : { [Op.or]: [null, place] } },
    transaction,
  })
  // What a token gave goes with the token; what is denied with it stays denied.
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
  const people = await peopleOf(app, place, [...byPrincipal.keys(), ...byUser.keys()], transaction)
  const accounts = await usableAccounts(app, place, transaction)
  const holder = place === null ? 'ServerServiceAccount' : 'TenantServiceAccount'
  return [
    ...people.filter(({ id }) => administers(id, 'User')),
    ...accounts.filter(
      ({ id, accessMode }) => (place === null && accessMode === 'Unrestricted') || administers(id, holder),
    ),
  ].map(({ id }) => id)
}

/**
 * Throws 409 when nobody could administer the server after some users have gone. Called in the transaction that deletes
 * them with their tenant, before it does.
 */
export async function keepAnAdministrator(app: App, transaction: Transaction, leavingIds: readonly string[]) {
  const leaving = new Set(leavingIds)
  const administrators = await administratorsNow(app, null, transaction)
  if (administrators.length > 0 && administrators.every((id) => leaving.has(id))) {
    throw nobodyElse(null)
  }
}

/**
 * Does a piece of work inside a transaction; throws 409, and rolls it back, when after it nobody could administer the
 * server, or the tenant that it is about. Transactions run one after the other: of two who delete each other at once
 * the second is refused.
 */
export async function keepingAdministrators<T>(
  app: App,
  transaction: Transaction,
  tenantId: string | null,
  work: () => Promise<T>,
): Promise<T> {
  const places: Place[] = tenantId === null ? [null] : [null, tenantId]
  const kept: Place[] = []
  for (const place of places) {
    if ((await administratorsNow(app, place, transaction)).length > 0) {
      kept.push(place)
    }
  }
  const result = await work()
  for (const place of kept) {
    if ((await administratorsNow(app, place, transaction)).length === 0) {
      throw nobodyElse(place)
    }
  }
  return result
}
