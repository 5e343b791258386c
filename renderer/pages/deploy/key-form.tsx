import { Button, MultiSelect, NumberInput, Radio, Select, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { weekMs } from '../../../shared/durations.ts'
import { textProps } from '../../components/field-props.ts'
import type { PlacementDto } from '../../../shared/api/appliance-deployments.ts'
import type { CreateInstallerKeyResponseDto } from '../../../shared/dtos/installer-key.ts'
import { api } from '../../api/http.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { deployQueries } from '../../api/deploy-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { fieldTime } from '../../text/format.ts'
import * as t from '../../texts.ts'
import classes from './deploy-page.module.css'
import { submitHandler } from '../../components/request-form.tsx'

const noPlacement: PlacementDto = { customerId: null, deviceGroupIds: [], tagIds: [] }

const choices = (things: readonly { id: string; name: string }[] | undefined) =>
  (things ?? []).map(({ id, name }) => ({ value: id, label: name }))

interface PlacementFieldsProps {
  placement: PlacementDto
  onChange: (placement: PlacementDto) => void
}

/** Customer, groups and tags of the devices that a key registers, as far as the user may give them. */
function PlacementFields({ placement, onChange }: PlacementFieldsProps) {
  const { can } = useSession()
  const mayName = { customer: can('tenant.customers.read'), tags: can('device.tags.write') }
  const mayGroup = can('tenant.device-groups.read') && can('device-group.assign-devices')
  const customers = useQuery({ ...organizationQueries.customers, enabled: mayName.customer }).data
  const groups = useQuery({ ...organizationQueries.deviceGroups, enabled: mayGroup }).data
  const tags = useQuery({ ...organizationQueries.tags, enabled: mayName.tags }).data
  const hasChoice = [customers, groups, tags].some((things) => things && things.length > 0)
  return (
    hasChoice && (
      <fieldset className={classes.place}>
        <legend>{t.deploy.place}</legend>
        <div className={classes.fields}>
          {customers && customers.length > 0 && (
            <Select
              label={t.common.customer}
              placeholder={t.deploy.noCustomer}
              w={220}
              searchable
              clearable
              data={choices(customers)}
              value={placement.customerId}
              onChange={(customerId) => onChange({ ...placement, customerId })}
            />
          )}
          {groups && groups.length > 0 && (
            <MultiSelect
              label={t.deploy.groups}
              w={240}
              searchable
              data={choices(groups)}
              value={[...placement.deviceGroupIds]}
              onChange={(deviceGroupIds) => onChange({ ...placement, deviceGroupIds })}
            />
          )}
          {tags && tags.length > 0 && (
            <MultiSelect
              label={t.deploy.tags}
              w={240}
              searchable
              data={choices(tags)}
              value={[...placement.tagIds]}
              onChange={(tagIds) => onChange({ ...placement, tagIds })}
            />
          )}
        </div>
        <p className="small muted">{t.deploy.placeHint}</p>
      </fieldset>
    )
  )
}

const kinds = [
  { value: 'UsageBased', label: t.deploy.usageBased, hint: t.deploy.usageBasedHint },
  { value: 'TimeBased', label: t.deploy.timeBased, hint: t.deploy.timeBasedHint },
  { value: 'Persistent', label: t.deploy.persistent, hint: t.deploy.persistentHint },
] as const
type Kind = (typeof kinds)[number]['value']

/** Ref that scrolls a form into view when it opens. Returns nothing: React would take a promise for a clean-up function. */
const scrollIntoView = (form: HTMLFormElement | null) => {
  form?.scrollIntoView({ block: 'nearest' })
}

const KindChoice = ({ kind, onChange }: { kind: Kind; onChange: (kind: Kind) => void }) => (
  <Radio.Group value={kind} onChange={(value) => onChange(value as Kind)} aria-label={t.deploy.keyKind}>
    <div className={classes.kinds}>
      {kinds.map(({ value, label, hint }) => (
        <label key={value} className={classes.kind} data-checked={kind === value || undefined}>
          <Radio
            value={value}
            label={label}
            description={hint}
            size="xs"
            styles={{
              label: { fontSize: 'var(--font-size)' },
              description: { fontSize: 'var(--font-size-small)' },
            }}
          />
        </label>
      ))}
    </div>
  </Radio.Group>
)

/** Form for an installer key with kind, limit and name; scrolls into view when it opens. */
export function KeyForm({ onCreated }: { onCreated: (key: CreateInstallerKeyResponseDto) => void }) {
  const [kind, setKind] = useState<Kind>('UsageBased')
  const [uses, setUses] = useState<number | string>(1)
  const [until, setUntil] = useState(() => fieldTime(Date.now() + weekMs))
  const [name, setName] = useState('')
  const [placement, setPlacement] = useState<PlacementDto>(noPlacement)
  const isPast = kind === 'TimeBased' && !(Date.parse(until) > Date.now())

  const create = useMutation({
    mutationFn: () =>
      api.deployments.create({
        body: {
          keyType: kind,
          friendlyName: name.trim() || null,
          allowedUses: kind === 'UsageBased' ? Number(uses) : null,
          expiration: kind === 'TimeBased' ? new Date(until).toISOString() : null,
          placement,
        },
      }),
    onSuccess: ({ key }) => {
      void invalidate(deployQueries.installerKeys.queryKey, deployQueries.placements.queryKey)
      onCreated(key)
    },
  })

  return (
    <form ref={scrollIntoView} className={classes.newKey} onSubmit={submitHandler(() => create.mutate())}>
      <KindChoice kind={kind} onChange={setKind} />
      <div className={classes.fields}>
        {kind === 'UsageBased' && (
          <NumberInput
            label={t.deploy.uses}
            min={1}
            max={100_000}
            clampBehavior="strict"
            allowDecimal={false}
            required
            withAsterisk={false}
            w={110}
            value={uses}
            onChange={setUses}
          />
        )}
        {kind === 'TimeBased' && (
          <TextInput
            type="datetime-local"
            label={t.deploy.until}
            required
            withAsterisk={false}
            w={220}
            value={until}
            error={isPast && t.deploy.untilPast}
            onChange={(event) => setUntil(event.currentTarget.value)}
          />
        )}
        <TextInput
          label={t.common.name}
          title={t.deploy.keyNameHint}
          placeholder={t.deploy.keyNamePlaceholder}
          maxLength={100}
          w={280}
          {...textProps(name, setName)}
        />
      </div>
      <PlacementFields placement={placement} onChange={setPlacement} />
      {create.error && (
        <div style={{ marginTop: 12 }}>
          <ProblemAlert error={create.error} />
        </div>
      )}
      <Button type="submit" mt="sm" loading={create.isPending} disabled={isPast || (kind === 'UsageBased' && !uses)}>
        {t.deploy.create}
      </Button>
    </form>
  )
}
