import { expect, test } from 'vitest'
import { services } from '../../server/notifications/services.ts'

const name = 'see https://evil.example/x or www.evil.example or [this](ftp://evil.example) at 10:32'
const message = {
  title: name,
  lines: [name],
  link: { url: 'https://farhand.example.org/alerts', text: 'Open' },
  tone: 'urgent',
} as const
const escaped = String.raw`see https\://evil.example/x or www\.evil.example or \[this\](ftp\://evil.example) at 10:32`

test('T03: addresses in the name of a device are no links in Discord', () => {
  const { body } = services.discord.request({ address: 'https://discord.com/api/webhooks/1/secret' }, message)
  expect(body).toMatchObject({ embeds: [{ description: escaped, url: message.link.url }] })
})

test('T03: addresses in the name of a device are no links in Teams', () => {
  const { body } = services.teams.request({ address: 'https://example.org/workflows/secret' }, message)
  expect(body).toMatchObject({ attachments: [{ content: { body: [{ text: escaped }, { text: escaped }] } }] })
})
