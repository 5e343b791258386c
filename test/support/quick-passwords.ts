/**
 * Passwords of tests are hashed with the least memory: with that of the product, the accounts of thousands of servers would
 * take a tenth of the processor time of all tests. Servers in processes of their own hash as the product does.
 */
import { createRequire } from 'node:module'
import type { hash as hashPassword } from '@node-rs/argon2'

const argon2 = createRequire(import.meta.url)('@node-rs/argon2') as { hash: typeof hashPassword }
const { hash } = argon2
argon2.hash = (password, options) => hash(password, { ...options, memoryCost: 8, timeCost: 1 })
