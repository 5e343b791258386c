import { instant } from '../ground/instant.ts'
import { fold } from '../../shared/fold.ts'
import {
  type PersonDetailDto,
  type PersonDto,
  type PeopleFilter,
  peopleFilters,
} from '../../shared/api/appliance-people.ts'
import type { Call } from '../call/call.ts'
import { mapInSlices, sortInSlices, TimeSlice } from '../ground/clock.ts'
import { notFound } from '../ground/errors.ts'
import { givenName, joinChosenName, lacksSecondFactor } from '../people/account-mirror.ts'
import type { UserRow } from '../people/tables.ts'
import { managementBeyond } from '../assignments/rights-comparison.ts'
import { holds, ruleListsOfUser, rulesOfUser } from '../rights/rights.ts'
import { labelAt } from '../providers/provider-visits.ts'
import { lockedUntil } from '../identity/lockout.ts'
import { describeRights, mayReadRights, summarize, visibility, type Source } from './held-rights.ts'

interface Row extends Pick<
  UserRow,
  'id' | 'userName' | 'email' | 'accountType' | 'createdAt' | 'lastLogin' | 'disabledAt' | 'lockedUntil'
> {
  displayName: string | null
  isEmailConfirmed: number
  isTwoFactorEnabled: number
  isPasswordChangeRequired: number
  hasPassword: number
  lacksSecondFactor: number
  passkeys: number
  /** Places of linked accounts, joined by commas. */
  places: string | null
  lastSeenAt: number | null
}

const sql = `SELECT u.id, u.userName, u.email, u.accountType, u.createdAt, u.lastLogin, u.disabledAt, u.lockedUntil, u.isEmailConfirmed,
    u.isTwoFactorEnabled, u.isPasswordChangeRequired, u.passwordHash IS NOT NULL AS hasPassword,
    ${lacksSecondFactor} AS lacksSecondFactor, ${givenName} AS displayName,
    (SELECT count(*) FROM passkeys WHERE userId = u.id) AS passkeys,
    (SELECT group_concat(provider) FROM external_logins WHERE userId = u.id) AS places,
    max(coalesce((SELECT max(lastSeenAt) FROM sessions WHERE userId = u.id), 0),
      coalesce((SELECT max(lastSeenAt) FROM token_families WHERE userId = u.id), 0), coalesce(u.lastLogin, 0)) AS lastSeenAt
  FROM users AS u ${joinChosenName}
  WHERE u.tenantId = ?`

const timeOf = (at: number | null) => (at === null || at === 0 ? null : instant(at))

/** Adds what memory knows of a person's rights. */
async function present(call: Call, tenantId: string, { places, ...row }: Row, slice?: TimeSlice): Promise<PersonDto> {
  return {
    id: row.id,
    userName: row.userName,
    email: row.email,
    name: call.app.accounts.nameOf(row.id) ?? row.userName,
    displayName: row.displayName,
    accountType: row.accountType,
    isEmailConfirmed: row.isEmailConfirmed === 1,
    createdAt: instant(row.createdAt),
    lastSeenAt: timeOf(row.lastSeenAt),
    disabledAt: timeOf(row.disabledAt),
    lockedUntil: timeOf(lockedUntil(call.app, row)),
    isTwoFactorEnabled: row.isTwoFactorEnabled === 1,
    isPasswordChangeRequired: row.isPasswordChangeRequired === 1,
    hasPassword: row.hasPassword === 1,
    passkeys: row.passkeys,
    providers: places === null ? [] : places.split(',').map((place) => labelAt(call.app, place)),
    summary: mayReadRights(call, tenantId)
      ? await summarize(call, tenantId, ruleListsOfUser(call.app, row.id), slice)
      : null,
  }
}

const isGuest = ({ accountType }: Row) => accountType === 'External'
const matches: Record<PeopleFilter | 'all', (row: Row) => boolean> = {
  all: (row) => !isGuest(row),
  disabled: ({ disabledAt }) => disabledAt !== null,
  invited: ({ accountType }) => accountType === 'Invited',
  'one-factor': (row) => row.lacksSecondFactor === 1,
  guests: isGuest,
}
const filters = ['all', ...peopleFilters] as const

const shownName = ({ displayName, userName }: Row) => displayName || userName
const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true })
const byName = (a: Row, b: Row) => collator.compare(shownName(a), shownName(b)) || (a.id < b.id ? -1 : 1)

export interface PeopleQuery {
  text?: string | undefined
  show?: PeopleFilter | undefined
  groupId?: string | undefined
  skip: number
  take: number
}

/** Members of a group; nobody for a caller who may not read groups. */
function isMember({ app, principal }: Call, tenantId: string, groupId: string) {
  const mayRead = holds(app, principal, 'tenant.user-groups.read', tenantId)
  return ({ id }: Row) => mayRead && app.rules.membershipsOf(id).some((membership) => membership.groupId === groupId)
}

/**
 * Lists one page of the people of a tenant. All of them are read, filtered and sorted here: SQLite compares letters beyond
 * ASCII by case. In slices, because 1,000 people take 10 ms and a tenant may have 10,000 guests (T26).
 */
export async function listPeople(call: Call, tenantId: string, { text = '', show, groupId, skip, take }: PeopleQuery) {
  const rows = await call.app.database.all<Row>(sql, [tenantId])
  const wanted = fold(text.trim())
  const inGroup = groupId === undefined ? () => true : isMember(call, tenantId, groupId)
  const hasText = ({ userName, email, displayName }: Row) =>
    wanted === '' || [userName, email, displayName ?? ''].some((name) => fold(name).includes(wanted))
  const isWanted = await mapInSlices(rows, (row) => matches[show ?? 'all'](row) && inGroup(row) && hasText(row))
  const found = await sortInSlices(
    rows.filter((_, index) => isWanted[index]),
    byName,
  )
  const items: PersonDto[] = []
  const slice = new TimeSlice()
  for (const row of found.slice(skip, skip + take)) {
    items.push(await present(call, tenantId, row, slice))
  }
  return {
    items,
    total: found.length,
    counts: Object.fromEntries(filters.map((name) => [name, rows.filter(matches[name]).length])) as Record<
      (typeof filters)[number],
      number
    >,
  }
}

/** Numbers of what a deletion takes along. */
async function countsOf(call: Call, tenantId: string, userId: string) {
  const { models, sessions, clock, rules } = call.app
  const where = { userId }
  const live = (await models.Session.findAll({ where })).filter(({ tokenHash }) => sessions.isLive(tokenHash))
  const families = (await models.TokenFamily.findAll({ where })).filter(({ expiresAt }) => expiresAt > clock.now())
  const links = await models.LogonToken.findAll({ where: { userId, consumedAt: null } })
  return {
    accessTokens: await models.PersonalAccessToken.count({ where }),
    signIns: live.length + families.length,
    deviceLinks: links.filter(({ expiresAt }) => expiresAt > clock.now()).length,
    groups: rules.membershipsOf(userId).length,
    rights: rules.of(userId).filter(visibility(call, tenantId)).length,
  }
}

/** User groups of a person by name, for readers of groups. */
async function groupsOf({ app, principal }: Call, tenantId: string, userId: string) {
  if (!holds(app, principal, 'tenant.user-groups.read', tenantId)) {
    return null
  }
  const ids = app.rules.membershipsOf(userId).map(({ groupId }) => groupId)
  const rows = await app.models.UserGroup.findAll({ where: { id: ids, tenantId }, order: ['name'] })
  return rows.map(({ id, name }) => ({ id, name }))
}

/** Reads one person with rights and groups. Throws 404. */
export async function getPerson(call: Call, tenantId: string, userId: string): Promise<PersonDetailDto> {
  const { app, principal } = call
  const [row] = await app.database.all<Row>(`${sql} AND u.id = ?`, [tenantId, userId])
  if (!row) {
    throw notFound('user')
  }
  const groups = await groupsOf(call, tenantId, userId)
  const sources: Source[] = [
    { group: null, rules: app.rules.of(userId) },
    ...app.rules.membershipsOf(userId).map(({ groupId }) => ({
      group: { id: groupId, name: groups?.find(({ id }) => id === groupId)?.name ?? null },
      rules: app.rules.of(groupId),
    })),
  ]
  const mayWrite = (['tenant.users.write', 'tenant.users.delete'] as const).some((name) =>
    holds(app, principal, name, tenantId),
  )
  const target = { tenantId, holder: 'User', rules: rulesOfUser(app, userId) } as const
  return {
    ...(await present(call, tenantId, row)),
    groups,
    rights: mayReadRights(call, tenantId) ? await describeRights(call, tenantId, sources) : null,
    beyond: mayWrite ? (managementBeyond(app, principal, target) ?? null) : null,
    goesWith: await countsOf(call, tenantId, userId),
  }
}

/** Rights of a user group; null for callers who may not read rights. Throws 404. */
export async function getGroupRights(call: Call, tenantId: string, groupId: string) {
  const { app } = call
  if ((await app.models.UserGroup.count({ where: { id: groupId, tenantId } })) === 0) {
    throw notFound('user group')
  }
  const sources = [{ group: null, rules: app.rules.of(groupId) }]
  return { rights: mayReadRights(call, tenantId) ? await describeRights(call, tenantId, sources) : null }
}
