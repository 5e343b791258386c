import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { auditKinds, type AuditKind } from '../../../shared/audit-kinds.ts'
import { account } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { actsOfBackups } from './recorded/backups.ts'
import { actsOfChanges } from './recorded/changes.ts'
import { actsOfOrganizing } from './recorded/organize.ts'
import { actsOfPeople } from './recorded/people.ts'
import { openScene, type Acts, type Row, type Scene } from './recorded/scene.ts'
import { actsOfServer, openServerScene, type ServerScene } from './recorded/server.ts'
import { actsOnSessions } from './recorded/sessions.ts'
import { actsOfThings } from './recorded/things.ts'

let scene: Scene
beforeAll(async () => {
  scene = await openScene()
})
afterAll(() => scene.close())

type Stage = Pick<Scene, 'server' | 'clock'>

async function expectRow<S extends Stage>(stage: S, [kind, , act]: Acts<S>[number]) {
  stage.clock.advance(1)
  const since = stage.clock.now()
  const { details = {}, ...expected } = await act(stage)
  const newRows = () =>
    stage.server.rows<Row>('SELECT * FROM audit_events WHERE at >= ? AND kind = ? ORDER BY id', String(since), kind)
  const { outcome = 'success', actorName = account.email } = expected
  const row = await until(async () => (await newRows()).findLast((each) => each.outcome === outcome))
  expect({ ...row, details: JSON.parse(row.details) as object }).toMatchObject({
    actorKind: 'user',
    credentialKind: 'Session',
    address: '127.0.0.1',
    targetKind: null,
    targetName: null,
    deviceId: null,
    ...expected,
    actorName,
    details,
  })
}

const allOfThings = [...actsOfThings, ...actsOfOrganizing, ...actsOfChanges, ...actsOfBackups, ...actsOnSessions]

// First: their agents would not outlive the jumps of the clock.
describe('a row about things:', () => {
  test.each(allOfThings)('%s, %s', (...act) => expectRow(scene, act))
})

describe('a row about people:', () => {
  beforeEach(() => scene.next())
  test.each(actsOfPeople)('%s, %s', (...act) => expectRow(scene, act))
})

/** Kinds that the tests of installing, restoring and updating record with real processes. */
const elsewhere: AuditKind[] = [
  // By test/server/notifications/appliance-notifications.test.ts.
  'account.contact-method-added',
  'account.contact-method-changed',
  'account.contact-method-removed',
  'account.mail-unsubscribed',
  'account.notifications-changed',
  'export.notification',
  // By test/server/alerts/appliance-alerts.test.ts.
  'alert.acknowledged',
  'alert.closed',
  'alert.opened',
  'alert.snoozed',
  'settings.alert-rule-changed',
  'settings.alert-rule-created',
  'settings.alert-rule-deleted',
  'settings.on-call-changed',
  // By test/server/devices/power-orders.test.ts.
  'device.power-canceled',
  'device.power-ordered',
  // By test/server/remote/consent.test.ts.
  'device.consent-cleared',
  'session.consent',
  // By test/security/T30-shared-terminals.test.ts.
  'session.terminal-share-changed',
  'session.terminal-shared',
  // By test/server/recordings/stored-recordings.test.ts.
  'recording.deleted',
  'recording.ended',
  'recording.opened',
  'recording.started',
  // By test/server/events/appliance-webhooks.test.ts.
  'export.webhook-delivery',
  'settings.webhook-changed',
  'settings.webhook-created',
  'settings.webhook-deleted',
  'settings.webhook-delivery-repeated',
  'settings.webhook-secret-replaced',
  'server.agents-rollout',
  'server.agents-rollout-resumed',
  'server.agents-rollout-stopped',
  // By test/security/T47-two-of-one.test.ts.
  'device.two-machines',
  'device.machine-kept',
  // By test/security/T46-decommission.test.ts.
  'server.decommission-began',
  'server.decommission-continued',
  'server.decommission-ended',
  'server.audit-log-replaced',
  'server.restored',
  'server.secrets-moved',
  // By test/scale/stories.test.ts.
  'server.secrets-shared',
  'server.update-back',
  'server.update-back-started',
  'server.update-installed',
  'server.update-started',
]

describe('a row about the server:', () => {
  let serverScene: ServerScene
  beforeAll(async () => {
    serverScene = await openServerScene()
  })
  afterAll(() => serverScene.close())
  test.each(actsOfServer)('%s, %s', (...act) => expectRow(serverScene, act))
})

test('each kind of event is recorded by one of these acts, or named as recorded elsewhere', () => {
  const acts = [...allOfThings, ...actsOfPeople, ...actsOfServer]
  expect([...new Set(acts.map(([kind]) => kind)), ...elsewhere].toSorted()).toEqual(Object.keys(auditKinds).toSorted())
})
