import { Checkbox, Group, Radio, Stack } from '@mantine/core'
import { checkProps } from '../../../components/field-props.ts'
import * as t from '../../../texts.ts'
import { eventGroups, hasType, withGroup, withType } from './event-choice.ts'
import classes from './webhooks.module.css'

interface EventKindsFieldProps {
  /** Types and groups of events; null for all. */
  kinds: readonly string[] | null
  onChange: (kinds: readonly string[] | null) => void
}

interface GroupFieldProps {
  group: string
  types: readonly string[]
  kinds: readonly string[]
  onChange: (kinds: readonly string[]) => void
}

/** Checkbox of a group, and one for each of its types. */
function GroupField({ group, types, kinds, onChange }: GroupFieldProps) {
  const chosen = types.filter((type) => hasType(kinds, type))
  const isWhole = chosen.length === types.length
  return (
    <div role="group" aria-label={t.webhooks.eventName(group)}>
      <Checkbox
        label={t.webhooks.eventName(group)}
        indeterminate={chosen.length > 0 && !isWhole}
        {...checkProps(isWhole, (isOn) => onChange(withGroup(kinds, group, isOn)))}
      />
      {types.length > 1 && (
        <Group align="stretch" gap="6px 16px" pt={6} pl={28}>
          {types.map((type) => (
            <Checkbox
              key={type}
              size="xs"
              label={t.webhooks.eventName(type)}
              title={type}
              {...checkProps(hasType(kinds, type), (isOn) => onChange(withType(kinds, type, isOn)))}
            />
          ))}
        </Group>
      )}
    </div>
  )
}

/** Chooses the events that a webhook sends: all, groups, or types of them. */
export function EventKindsField({ kinds, onChange }: EventKindsFieldProps) {
  return (
    <div>
      <Radio.Group
        label={t.webhooks.events}
        value={kinds === null ? 'all' : 'some'}
        onChange={(choice) => onChange(choice === 'all' ? null : ['device'])}
      >
        <Stack gap={8} mt={6}>
          <Radio value="all" label={t.webhooks.allEvents} description={t.webhooks.allEventsHint} />
          <Radio value="some" label={t.webhooks.someEvents} />
        </Stack>
      </Radio.Group>
      {kinds && (
        <fieldset className={classes.groups} aria-label={t.webhooks.someEvents}>
          {[...eventGroups].map(([group, types]) => (
            <GroupField key={group} {...{ group, types, kinds, onChange }} />
          ))}
          {kinds.length === 0 && <p className="small muted">{t.webhooks.noEvents}</p>}
        </fieldset>
      )}
    </div>
  )
}
