import { randomUUID } from 'node:crypto'
import type { Member } from '../../../support/server.ts'

/** A write, ready to be made, and the question whether it was. */
export interface Write {
  /** Resolves with the server's answer. */
  act(): Promise<unknown>
  /** Asks a server that started on what the killed one left behind; throws when the effect is not there. */
  expectStored(): Promise<unknown>
}

/** Makes what a write needs, each time things of its own: many writes are made at once. */
export type Prepare = (owner: Member) => Promise<Write>

/** Kinds of writes by their route, or by what they are where there is none. */
export type Writes = Record<string, Prepare>

/** A name that fits everything that has one. */
export const newName = () => randomUUID()

/** Things with a name that can be made, renamed and deleted. */
interface Named {
  create(name: string): Promise<string>
  rename(id: string, name: string): Promise<unknown>
  delete(id: string): Promise<unknown>
  /** Names by id. */
  list(): Promise<[id: string, name: string | null][]>
}

async function expectName({ list }: Named, id: string, name: string | undefined) {
  const found = new Map(await list()).get(id)
  if (found !== name) {
    throw new Error(`${id} should be called ${name}, and is ${found}.`)
  }
}

/** The three writes of such things; `rename` is the name of its route. */
export function writesOf(
  group: string,
  thingsOf: (owner: Member) => Named | Promise<Named>,
  rename = 'update',
): Writes {
  return {
    [`${group}.create`]: async (owner) => {
      const things = await thingsOf(owner)
      const name = newName()
      let id = ''
      return {
        act: async () => (id = await things.create(name)),
        expectStored: () => expectName(things, id, name),
      }
    },
    [`${group}.${rename}`]: async (owner) => {
      const things = await thingsOf(owner)
      const [id, name] = [await things.create(newName()), newName()]
      return { act: () => things.rename(id, name), expectStored: () => expectName(things, id, name) }
    },
    [`${group}.delete`]: async (owner) => {
      const things = await thingsOf(owner)
      const id = await things.create(newName())
      return { act: () => things.delete(id), expectStored: () => expectName(things, id, undefined) }
    },
  }
}
