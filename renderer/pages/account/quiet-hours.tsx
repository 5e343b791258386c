import { Button, Checkbox, Stack, Switch } from '@mantine/core'
import { useState } from 'react'
import type { NotificationChoicesDto } from '../../../shared/api/appliance-notifications.ts'
import type { QuietHoursDto } from '../../../shared/dtos/contact-method.ts'
import { checkProps } from '../../components/field-props.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { submitHandler } from '../../components/request-form.tsx'
import { WeeklyHoursFields } from '../../components/weekly-hours-fields.tsx'
import { moment } from '../../text/format.ts'
import * as t from '../../texts.ts'
import classes from './account-page.module.css'
import { useChoices } from './use-choices.ts'

const usualHours = (): QuietHoursDto => ({
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  days: [1, 2, 3, 4, 5, 6, 7],
  from: '22:00',
  to: '07:00',
  letsUrgentPass: true,
})

interface HoursFormProps {
  stored: QuietHoursDto
  save: ReturnType<typeof useChoices>
}

function HoursForm({ stored, save }: HoursFormProps) {
  const [draft, setDraft] = useState(stored)
  const change = (changes: Partial<QuietHoursDto>) => setDraft({ ...draft, ...changes })
  const isChanged = JSON.stringify(draft) !== JSON.stringify(stored)
  return (
    <form onSubmit={submitHandler(() => save.mutate({ quietHours: draft }))}>
      <Stack gap={12}>
        <WeeklyHoursFields value={draft} onChange={change} />
        <Checkbox
          label={t.notifications.urgentPass}
          description={t.notifications.urgentHint}
          {...checkProps(draft.letsUrgentPass, (letsUrgentPass) => change({ letsUrgentPass }))}
        />
        <Button
          type="submit"
          variant="default"
          loading={save.isPending}
          disabled={!isChanged || draft.days.length === 0}
          style={{ alignSelf: 'flex-start' }}
        >
          {t.common.save}
        </Button>
      </Stack>
    </form>
  )
}

/** Hours in which nothing is sent. */
export function QuietHours({ choices }: { choices: NotificationChoicesDto }) {
  const save = useChoices(choices)
  const { quietHours, quietUntil } = choices
  return (
    <div>
      <Switch
        label={t.notifications.quietHours}
        description={
          quietUntil === null ? t.notifications.quietHint : t.notifications.quietNow(moment(Date.parse(quietUntil)))
        }
        disabled={save.isPending}
        {...checkProps(quietHours !== null, (isOn) => save.mutate({ quietHours: isOn ? usualHours() : null }))}
      />
      {quietHours && (
        <div className={classes.indented}>
          <HoursForm key={JSON.stringify(quietHours)} stored={quietHours} save={save} />
        </div>
      )}
      {save.error && <ProblemAlert error={save.error} />}
    </div>
  )
}
