import { hash } from 'node:crypto'
import type { DeviceConsentDto } from '../../shared/api/appliance-consent.ts'
import {
  askConsentType,
  clearConsentType,
  type AskConsent,
  type ConsentRule,
  type ConsentSubject,
} from '../../shared/dtos/consent.ts'
import { deviceNotConnected, failure, success, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { Call, RouteCall } from '../call/call.ts'
import { abilitiesOf } from '../devices/agent-abilities.ts'
import { agentMessage, agentOf, askAgent, explainFailure } from '../devices/calls.ts'
import { ClusterAway } from '../engines/cluster/cluster-away.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { AppError, forbidden } from '../ground/errors.ts'
import { isByLink, isTokenOfItsOwn, ownerOf } from '../ground/principal.ts'
import { nameOfVisitor } from '../people/names.ts'
import { ruleOf, rulesOf, type AppliedRule } from './consent-rule.ts'

/** Visitor whom a standing answer covers, for agents: an account, or a link or token with rights of its own. */
const visitorIdOf = ({ principal }: Call): string => {
  const { id, credential } = principal
  return isTokenOfItsOwn(principal) && 'id' in credential ? credential.id : id
}

/**
 * Account to which the pause after a decline applies: the account behind a token, and the maker of a link, who could ask
 * again at once with the next one.
 */
const accountIdOf = ({ principal: { id, credential } }: Call): string =>
  credential.kind === 'LogonToken' ? credential.makerId : id

/** Whether a rule asks at this moment, as far as the server knows who is signed in. */
const asksNow = ({ mode }: ConsentRule, { currentUsers }: DeviceState): boolean =>
  mode === 'always' || (mode === 'signed-in' && currentUsers.length > 0)

const named = ({ policies }: AppliedRule) => policies.map((name) => `“${name}”`).join(', ')

/** Sentence for a rule that nobody can carry out. */
const cannotAsk = (rule: AppliedRule): string =>
  `${named(rule)} asks the person at this device first, and its agent cannot ask.`

/**
 * Records the outcome of a visit that policies decided, and adds their names to the reason of a refusal. Visits that no
 * policy decides are recorded as sessions alone.
 */
async function recordOutcome<Result extends HubResult>(
  { app, actor }: Call,
  device: DeviceState,
  subject: ConsentSubject,
  rule: AppliedRule,
  result: Result,
): Promise<Result> {
  if (rule.mode === 'never') {
    return result
  }
  const policies = named(rule)
  await app.audit.record(actor, {
    kind: 'session.consent',
    device,
    outcome: result.isSuccess ? 'success' : 'failure',
    details: { subject, policies, reason: result.reason },
  })
  return result.isSuccess || result.reason === null
    ? result
    : { ...result, reason: `${result.reason} (Policy: ${policies}.)` }
}

/**
 * Rule of a session on a screen, which its request carries to the agent. A visitor who wants the person to be asked needs
 * an answer, whatever a milder policy allows.
 */
export async function ruleForSession(
  call: Call,
  device: DeviceState,
  subject: 'control' | 'viewing',
  { isWanted = false } = {},
) {
  const rule = await ruleOf(call, device, subject)
  const mode = isWanted && rule.mode !== 'never' ? 'always' : rule.mode
  const allowsSilence = rule.allowsSilence && !isWanted
  return {
    fields: {
      ...(mode !== 'never' && { consent: { mode, allowsSilence } }),
      viewerPrincipalId: visitorIdOf(call),
      viewerAccountId: accountIdOf(call),
    },
    asksNow: asksNow(rule, device),
    isEnforced: call.app.consentAnswers.canAsk(device.connectionId),
    cannotAsk: cannotAsk(rule),
    recorded: async (answer: Promise<HubResult>) => recordOutcome(call, device, subject, rule, await answer),
  }
}

interface Asked {
  subject: Extract<ConsentSubject, 'terminal' | 'files'>
  /** Viewer connection or run that the answer is for. */
  grantFor?: string
}

/**
 * Asks the person at a device before a terminal, a command or files, where a policy or that person wants it. Agents that
 * enforce rules learn of each such visit and its visitor; others are refused where somebody would have to be asked, and all
 * are where another server does not report the abilities of its agent.
 */
export async function requireConsent(
  call: Call,
  device: DeviceState,
  { subject, grantFor = '' }: Asked,
): Promise<HubResult> {
  const { app } = call
  if (device.connectionId === '') {
    return failure(deviceNotConnected)
  }
  const rule = await ruleOf(call, device, subject)
  const abilities = await abilitiesOf(app, device.connectionId)
  if (!abilities) {
    const away = failure(deviceNotConnected)
    await recordOutcome(call, device, subject, rule, away)
    return away
  }
  if (!abilities.asksPerson) {
    const result = asksNow(rule, device) ? failure(cannotAsk(rule)) : success
    return recordOutcome(call, device, subject, rule, result)
  }
  const { mode, allowsSilence } = rule
  const organizationName = app.tenants.get(device.tenantId)?.name
  const question: AskConsent = {
    subject,
    rule: { mode, allowsSilence },
    grantFor,
    visitorId: visitorIdOf(call),
    visitorAccountId: accountIdOf(call),
    visitorName: nameOfVisitor(call),
    ...(organizationName !== undefined && { organizationName }),
  }
  const message = agentMessage(askConsentType, question)
  const answer = await askAgent(
    call,
    device,
    async (agent) => (await agent.ReceiveDto(message)) ?? failure(cannotAsk(rule)),
    { waitsForPerson: true },
  )
  const result = answer.isSuccess ? success : failure(answer.reason!)
  return recordOutcome(call, device, subject, rule, result)
}

const refused = (detail: string) => new AppError(403, detail, { code: 'consent-refused' })

/**
 * Rule for the files of a device, and the key of a visit to them: under another rule, or with other people at the device,
 * the answer of the last visit does not count. Two credentials of one visitor may have different rules.
 */
async function filesVisit(call: Call, device: DeviceState) {
  const rule = await ruleOf(call, device, 'files')
  const people = device.currentUsers.toSorted()
  return { rule, key: hash('sha256', JSON.stringify([device.id, ownerOf(call.principal), rule, people])) }
}

/** The device as reported last: other people may have signed in since a long transfer began. */
const current = ({ app }: Call, device: DeviceState): DeviceState => app.fleet.get(device.id) ?? device

/** Asks for the files of a device, once for a visit. Throws 403 for a refusal, and 503 where the server of the agent is away. */
export async function requireFilesConsent(call: Call & Pick<RouteCall, 'recheck'>, device: DeviceState): Promise<void> {
  const { consentAnswers } = call.app
  const now = current(call, device)
  const { key } = await filesVisit(call, now)
  if (consentAnswers.usesFiles(key)) {
    return
  }
  const agent = agentOf(now)
  const { isSuccess, reason } = await consentAnswers.askOnce(key, () => requireConsent(call, now, { subject: 'files' }))
  // The right may have ended while the person thought.
  await call.recheck()
  if (reason === deviceNotConnected) {
    throw explainFailure(call.app, agent, new ClusterAway())
  }
  if (!isSuccess) {
    throw refused(reason!)
  }
  consentAnswers.beginFiles(device, key)
}

/** Extends a visit to files. Throws 403 where the visit has ended and the next one would be asked for. */
export async function extendFilesVisit(call: Call, device: DeviceState): Promise<void> {
  const now = current(call, device)
  const { rule, key } = await filesVisit(call, now)
  if (!call.app.consentAnswers.usesFiles(key) && wouldAsk(call, now, 'files', rule)) {
    throw refused('The person at this device has to be asked again before you see more of its files.')
  }
}

/**
 * Whether the person at the device has allowed visits of the caller for longer; control includes viewing. All people who
 * are signed in must have: the server does not know whose desktop is meant, and the person who answered may have left.
 */
function hasStanding(call: Call, { connectionId, currentUsers }: DeviceState, subject: ConsentSubject): boolean {
  const visitor = visitorIdOf(call)
  const { standing } = call.app.consentAnswers.answersOf(connectionId)
  const people = standing
    .filter(
      (answer) =>
        answer.visitorId === visitor &&
        (answer.subject === subject || (answer.subject === 'control' && subject === 'viewing')),
    )
    .map(({ person }) => person)
  return people.length > 0 && currentUsers.every((user) => people.includes(user))
}

/** Whether a visit of the caller would be asked for now, as far as the server knows. */
function wouldAsk(call: Call, device: DeviceState, subject: ConsentSubject, rule: ConsentRule): boolean {
  const { alwaysAsk } = call.app.consentAnswers.answersOf(device.connectionId)
  return (
    alwaysAsk.some((person) => device.currentUsers.includes(person)) ||
    (asksNow(rule, device) && !hasStanding(call, device, subject))
  )
}

/** Throws 403 where a screen may only be seen after a question: a preview asks nobody. */
export async function refuseUnseenPreview(call: Call, device: DeviceState): Promise<void> {
  const rule = await ruleOf(call, device, 'viewing')
  if (asksNow(rule, device) && !hasStanding(call, device, 'viewing')) {
    throw refused(`${named(rule)} asks the person at this device before the screen is seen. Connect to ask.`)
  }
}

export async function deviceConsent(call: Call, device: DeviceState): Promise<DeviceConsentDto> {
  const { consentAnswers } = call.app
  const answers = consentAnswers.answersOf(device.connectionId)
  const visitor = visitorIdOf(call)
  const ofVisitor = { standing: answers.standing.filter(({ visitorId }) => visitorId === visitor), alwaysAsk: [] }
  const rules = Object.entries(await rulesOf(call, device)).map(([subject, rule]) => [
    subject,
    { ...rule, asksNow: wouldAsk(call, device, subject as ConsentSubject, rule) },
  ])
  return {
    rules: Object.fromEntries(rules) as DeviceConsentDto['rules'],
    canAsk: consentAnswers.canAsk(device.connectionId),
    answers: isByLink(call.principal) ? ofVisitor : answers,
  }
}

/** Removes the standing answers of the people at a device. */
export async function clearAnswers(call: Call, device: DeviceState): Promise<void> {
  const { app, actor } = call
  const { connectionId } = agentOf(device)
  if (!app.consentAnswers.canAsk(connectionId)) {
    throw forbidden('The agent of this device keeps no answers.')
  }
  await app.audit.record(actor, { kind: 'device.consent-cleared', device })
  await app.hubs.agent.send(connectionId).ReceiveDto(agentMessage(clearConsentType, {}))
}
