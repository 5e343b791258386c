import { eventData } from '../../../../shared/dtos/event.ts'

export const groupOf = (type: string) => type.split('.')[0]!

/** Types of events by group, in the order of their declaration. */
export const eventGroups: ReadonlyMap<string, readonly string[]> = Map.groupBy(eventData.keys(), groupOf)

export const hasType = (kinds: readonly string[], type: string) => kinds.includes(type) || kinds.includes(groupOf(type))

/** Chooses a whole group, with the types that a newer server adds, or none of it. */
export const withGroup = (kinds: readonly string[], group: string, isOn: boolean) => [
  ...kinds.filter((kind) => groupOf(kind) !== group),
  ...(isOn ? [group] : []),
]

/** Chooses a type, or leaves it out: of a chosen group the other types stay. */
export const withType = (kinds: readonly string[], type: string, isOn: boolean) => {
  const types = eventGroups.get(groupOf(type)) ?? []
  const chosen = types.filter((each) => (each === type ? isOn : hasType(kinds, each)))
  return chosen.length === types.length
    ? withGroup(kinds, groupOf(type), true)
    : [...withGroup(kinds, groupOf(type), false), ...chosen]
}
