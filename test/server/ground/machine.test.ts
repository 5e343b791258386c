import { expect, test } from 'vitest'
import { isLoopbackHost } from '../../../server/ground/machine.ts'

test.each(['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])('%s is this machine', (host) => {
  expect(isLoopbackHost(host)).toBe(true)
})

/** Mail is sent without TLS, and links are made with http, to this machine alone. */
test.each(['127.mail.example', '127.0.0.1.mail.example', '127.0.0', '1127.0.0.1', 'localhost.example', '0.0.0.0'])(
  '%s is not taken for this machine',
  (host) => {
    expect(isLoopbackHost(host)).toBe(false)
  },
)
