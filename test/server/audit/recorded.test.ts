import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { auditKinds, type AuditKind } from '../../../shared/audit-kinds.ts'
import { account } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { actsOfBackups } from './recorded/backups.ts'
import { actsOfChanges } from './recorded/changes.ts'
import { actsOfOrganizing } from './recorded/organize.ts'
import { actsOfPeople } from './recorded/people.ts'
import { openScene, type Acts, type Row, type Scene } from './recorded/scene.ts'
import { actsOfThings } from './recorded/things.ts'

let scene: Scene
beforeAll(async () => {
  scene = await openScene()
})
afterAll(() => scene.close())

const newestId = async () => {
  const [row] = await scene.server.rows<{ id: number }>('SELECT max(id) AS id FROM audit_events')
  return row!.id
}

async function expectRow([kind, , act]: Acts[number]) {
  const before = await newestId()
  const { details = {}, ...expected } = await act(scene)
  const newRows = () =>
    scene.server.rows<Row>('SELECT * FROM audit_events WHERE id > ? AND kind = ? ORDER BY id', String(before), kind)
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

// First: their agents would not outlive the jumps of the clock.
describe('a row about things:', () => {
  test.each([...actsOfThings, ...actsOfOrganizing, ...actsOfChanges, ...actsOfBackups])('%s, %s', (...act) =>
    expectRow(act),
  )
})

describe('a row about people:', () => {
  beforeEach(() => scene.next())
  test.each(actsOfPeople)('%s, %s', (...act) => expectRow(act))
})

/** Kinds that other tests record: they need a mail, a restart, another machine, or a change of the whole network. */
const elsewhere: AuditKind[] = [
  'account.email-confirmed',
  'change.network-certificate-updated',
  'change.network-settings-updated',
  'change.user-two-factor-disabled',
  'device.woken',
  'server.audit-log-cut',
  'server.agents-rollout',
  'server.agents-rollout-resumed',
  'server.agents-rollout-stopped',
  'server.audit-log-lost',
  'server.restored',
  'server.started',
  'server.stopped',
  'server.update-back',
  'server.update-back-started',
  'server.update-installed',
  'server.update-started',
  'settings.release-allowed',
  'settings.release-signed',
]

test('each kind of event is recorded by one of these acts, or named as recorded elsewhere', () => {
  const kinds = new Set(
    [...actsOfThings, ...actsOfOrganizing, ...actsOfChanges, ...actsOfBackups, ...actsOfPeople].map(([kind]) => kind),
  )
  expect([...kinds, ...elsewhere].toSorted()).toEqual(Object.keys(auditKinds).toSorted())
})
