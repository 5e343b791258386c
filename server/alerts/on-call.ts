import { usualAfterMinutes, type AlertOnCallDto, type AlertOnCallRequestDto } from '../../shared/dtos/alert.ts'
import type { Call } from '../call/call.ts'
import { invalid } from '../ground/errors.ts'
import { makeFirstRules } from './first-rules.ts'
import { settingsOf } from './receivers.ts'

export async function readOnCall({ app }: Call, tenantId: string): Promise<AlertOnCallDto> {
  const {
    firstUserId = null,
    secondUserId = null,
    afterMinutes = usualAfterMinutes,
  } = (await settingsOf(app, tenantId)) ?? {}
  const nameOf = (id: string | null) => (id === null ? null : (app.accounts.nameOf(id) ?? null))
  return { firstUserId, secondUserId, afterMinutes, firstName: nameOf(firstUserId), secondName: nameOf(secondUserId) }
}

/** Changes who is on call. Throws 400 for a second without a first, the same person twice, and people of others. */
export async function changeOnCall(call: Call, tenantId: string, body: AlertOnCallRequestDto): Promise<AlertOnCallDto> {
  const { app, actor } = call
  const { firstUserId, secondUserId, afterMinutes } = body
  const people = [firstUserId, secondUserId].filter((id) => id !== null)
  if (people.some((id) => app.accounts.get(id)?.tenantId !== tenantId)) {
    throw invalid({ firstUserId: ['One of them is nobody of this organization.'] })
  }
  if (secondUserId !== null && (firstUserId === null || firstUserId === secondUserId)) {
    throw invalid({ secondUserId: ['Choose another person than the first.'] })
  }
  await app.database.write(async (transaction) => {
    await makeFirstRules(app, transaction, tenantId)
    await app.models.AlertSettings.upsert({ tenantId, firstUserId, secondUserId, afterMinutes }, { transaction })
    const [first, second] = [firstUserId, secondUserId].map((id) => (id === null ? 'nobody' : app.accounts.nameOf(id)))
    const details = { first, second, afterMinutes }
    await app.audit.recordIn(transaction, actor, [{ kind: 'settings.on-call-changed', tenantId, details }])
  })
  return readOnCall(call, tenantId)
}
