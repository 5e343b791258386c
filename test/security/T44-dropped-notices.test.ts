import { expect, test } from 'vitest'
import { Mailer } from '../../server/people/mailer.ts'
import { loadConfig } from '../../server/settings/config.ts'
import { createTestLog } from '../support/log.ts'
import { useMailServer } from '../support/mail.ts'
import { until } from '../support/until.ts'

test('a notice and a mail on demand are sent although others send many mails and notices at the same moment (T31)', async () => {
  let isAnswering = false
  const mail = await useMailServer({
    onConnect: (_, accept) => void until(() => isAnswering).then(() => accept()),
  })
  const env = Object.fromEntries(Object.entries(mail.settings).map(([key, value]) => [`Service_${key}`, value]))
  const mailer = new Mailer({ config: loadConfig({ env }), log: createTestLog() })
  const messageTo = (to: string) => ({ to, subject: 'Hello', text: 'Hello', html: 'Hello' })
  for (let mails = 0; mails < 150; mails++) {
    mailer.inBackground('eve', async () => messageTo(`stranger-${mails}@example.org`))
    mailer.notify('eve', messageTo('eve@example.org'))
  }
  mailer.notify('ada', messageTo('ada@example.org'))
  mailer.inBackground('192.0.2.1', async () => messageTo('bob@example.org'))
  expect(mailer.running).toBe(50 + 50 + 2)
  isAnswering = true
  await Promise.all([mail.next('ada@example.org'), mail.next('bob@example.org')])
  await mailer.close()
})
