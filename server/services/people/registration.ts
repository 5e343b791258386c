import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import { presets, type PresetName } from '../../../shared/access.ts'
import { hashPassword } from '../../auth/passwords.ts'
import { systemCall, type App, type OpenCall, type RequestContext } from '../../call.ts'
import { AppError, invalid } from '../../errors.ts'
import type { UserRow } from '../../models/user.ts'
import { seedPresets } from '../rights/presets.ts'
import { isAddressTaken, newUser, refuseDeadEnd } from './users.ts'

/** Whether there has never been a user on this server: deleted ones count (T01). */
export const isUntouched = async ({ models }: Pick<App, 'models'>, transaction?: Transaction) =>
  (await models.ServerState.count({ where: { hasHadUsers: true }, ...(transaction && { transaction }) })) === 0

/** Whether the first person who comes may register. */
export const needsFirstAccount = async ({ app }: Pick<OpenCall, 'app'>, transaction?: Transaction): Promise<boolean> =>
  !app.config.appOptions.disableFirstUserSelfRegistration && (await isUntouched(app, transaction))

/** Whether a new person may register now: always, or while nobody ever has. */
export const isRegistrationOpen = async (call: OpenCall): Promise<boolean> =>
  call.app.config.appOptions.enablePublicRegistration || (await needsFirstAccount(call))

/** Every preset of the server's owner; others get, in their own tenant, all but the server's. */
const presetsFor = (isOwner: boolean) =>
  (Object.keys(presets) as PresetName[]).filter((name) => isOwner || name !== 'Server Administrator')

interface Registration {
  email: string
  password: string
  organizationName?: string | undefined
  setupCode?: string | undefined
}

/** Registering, as far as the request matters. */
type RegistrationCall = OpenCall & Pick<RequestContext, 'isLocal'>

const closed = () => new AppError(404, 'Registration is closed. Ask an administrator for an account.')

/** Throws 404 while nobody may register, and 400 where nobody could sign in afterwards. */
export async function requireOpenRegistration(call: OpenCall): Promise<void> {
  if (!(await isRegistrationOpen(call))) {
    throw closed()
  }
  refuseDeadEnd(call)
}

/** The first account owns the server: who does not sit at it has to know the code that its start has shown (T01). */
function checkSetupCode({ app: { setup }, isLocal }: RegistrationCall, code: string | undefined): void {
  if (setup.isUnclaimed && !isLocal() && !setup.accepts(code)) {
    throw invalid({
      setupCode: [
        code ? 'is wrong: it is shown where the server was started, and changes with each start' : 'is needed',
      ],
    })
  }
}

/** Creates a user with a tenant of its own; undefined when the address is taken. 404 when registration is closed. */
export async function registerUser(
  call: RegistrationCall,
  { email, password, organizationName, setupCode }: Registration,
): Promise<UserRow | undefined> {
  const { app } = call
  await requireOpenRegistration(call)
  checkSetupCode(call, setupCode)
  const now = app.clock.now()
  const passwordHash = await hashPassword(password)
  const { models } = app
  const user = await app.database.write(async (transaction) => {
    // Looked up again inside the write: of two first registrations at once only one may win.
    const isOwner = await needsFirstAccount(call, transaction)
    if (!isOwner && !app.config.appOptions.enablePublicRegistration) {
      throw closed()
    }
    if (await isAddressTaken(app, email, transaction)) {
      return undefined
    }
    const tenant = { id: randomUUID(), name: organizationName ?? email, createdAt: now }
    const row = newUser({ tenantId: tenant.id, email, passwordHash, createdAt: now, lastLogin: now })
    await models.Tenant.create(tenant, { transaction })
    await models.User.create(row, { transaction })
    await seedPresets(systemCall(app), transaction, { kind: 'User', id: row.id }, presetsFor(isOwner), tenant.id)
    return row
  })
  if (user) {
    const actor = { ...call.actor, type: 'user', id: user.id }
    app.log.info({ actor, userId: user.id, tenantId: user.tenantId }, 'A person registered.')
  }
  return user
}
