import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import { followReleaseKeys } from '../../../agent/trust/release.ts'
import { succession, type NamedReleaseKey } from '../../../shared/agent-release.ts'

const newKey = () => generateKeyPairSync('ed25519').privateKey
const [first, second, third, foreign] = [newKey(), newKey(), newKey(), newKey()]

const named = (signer: KeyObject | undefined, privateKey: KeyObject): NamedReleaseKey => {
  const jwk = privateKey.export({ format: 'jwk' })
  const key = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(jwk.x!, 'base64url')])
  const text = key.toString('base64')
  return { key: text, signature: signer ? sign(null, Buffer.from(succession(text)), signer).toString('base64') : null }
}

const chain = [named(undefined, first), named(first, second), named(second, third)]
const [one, two, three] = chain.map(({ key }) => key)
const byStranger = named(foreign, second)

test.each<[string, string | undefined, NamedReleaseKey[] | undefined, string | undefined]>([
  ['none is pinned and none is named', undefined, undefined, undefined],
  ['none is pinned: the one in use is believed', undefined, chain, three],
  ['the pinned one is in use', three, chain, three],
  ['the pinned one leads to it over another', one, chain, three],
  ['an older server names none', one, undefined, one],
  ['others are named', one, [named(undefined, foreign)], one],
  [
    'another names the pinned one as its predecessor without its signature',
    one,
    [chain[0]!, named(undefined, foreign)],
    one,
  ],
  ['a stranger signed the next one', one, [chain[0]!, byStranger, chain[2]!], one],
  ['the chain begins later', one, chain.slice(1), one],
  ['the pinned one was replaced, and an older statement is repeated', two, chain.slice(0, 1), two],
])('T39: the release key, when %s', (_, pinned, keys, expected) => {
  expect(followReleaseKeys(pinned, keys)).toBe(expected)
})
