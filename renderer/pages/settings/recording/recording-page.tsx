import { Button, Group, NumberInput, Select, Stack } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { RecordingMode, type RecordingPolicyDto } from '../../../../shared/dtos/recording.ts'
import { api } from '../../../api/http.ts'
import { organizationQueries } from '../../../api/organization-queries.ts'
import { recordingQueries } from '../../../api/recording-queries.ts'
import { invalidate } from '../../../api/query-client.ts'
import { IconButton } from '../../../components/icon-button.tsx'
import { pageWithRight } from '../../../components/no-right.tsx'
import { PageHead } from '../../../components/page-head.tsx'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import { submitHandler } from '../../../components/request-form.tsx'
import { visibleName } from '../../../text/visible-name.ts'
import * as t from '../../../texts.ts'
import { SettingsTabs } from '../settings-tabs.tsx'
import classes from './recording-page.module.css'

const megabytesPerGigabyte = 1_000

const plain = { mode: 'allowed', retentionDays: null, quotaMegabytes: null } as const
const ofOrganization = ({ customerId, tagId }: RecordingPolicyDto) => customerId === null && tagId === null

interface PolicyFieldsProps {
  /** Name of what the policy is for. */
  name: string
  policy: RecordingPolicyDto
  /** Shown for numbers that are not chosen. */
  defaults: { days: string; space: string }
  onChange: (policy: RecordingPolicyDto) => void
  onRemove?: () => void
}

/** Number of a field; null while the field is empty. */
const chosen = (value: string | number) => (value === '' ? null : Number(value))

function PolicyFields({ name, policy, defaults, onChange, onRemove }: PolicyFieldsProps) {
  const { mode, retentionDays, quotaMegabytes, tagId } = policy
  return (
    <div className={classes.policy} role="group" aria-label={name}>
      <Select
        flex="1 1 280px"
        maw={400}
        label={onRemove ? name : t.recordingPolicies.mode}
        description={onRemove ? undefined : t.recordingPolicies.hints[mode]}
        allowDeselect={false}
        data={RecordingMode.options.map((value) => ({ value, label: t.recordingPolicies.modes[value] }))}
        value={mode}
        onChange={(value) => onChange({ ...policy, mode: RecordingMode.parse(value) })}
      />
      {tagId === null && (
        <>
          <NumberInput
            w={132}
            label={t.recordingPolicies.days}
            placeholder={defaults.days}
            min={1}
            max={3650}
            allowDecimal={false}
            value={retentionDays ?? ''}
            onChange={(value) => onChange({ ...policy, retentionDays: chosen(value) })}
          />
          <NumberInput
            w={220}
            label={t.recordingPolicies.space}
            description={onRemove ? undefined : t.recordingPolicies.spaceHint}
            placeholder={defaults.space}
            min={1}
            max={100_000}
            allowDecimal={false}
            value={quotaMegabytes === null ? '' : quotaMegabytes / megabytesPerGigabyte}
            onChange={(value) => {
              const space = chosen(value)
              onChange({ ...policy, quotaMegabytes: space === null ? null : space * megabytesPerGigabyte })
            }}
          />
        </>
      )}
      {onRemove && (
        <IconButton
          label={t.recordingPolicies.remove(name)}
          variant="subtle"
          color="gray"
          icon={<IconX size={16} />}
          onClick={onRemove}
        />
      )}
    </div>
  )
}

interface Choice {
  id: string
  name: string
}

interface AddSelectProps {
  label: string
  choices: readonly Choice[]
  onAdd: (id: string) => void
}

/** Adds one of the things that have no policy yet. */
const AddSelect = ({ label, choices, onAdd }: AddSelectProps) => (
  <Select
    w={200}
    aria-label={label}
    placeholder={label}
    searchable
    value={null}
    data={choices.map(({ id, name }) => ({ value: id, label: visibleName(name) }))}
    onChange={(id) => id !== null && onAdd(id)}
  />
)

function PolicyForm({ stored }: { stored: readonly RecordingPolicyDto[] }) {
  const customers = useQuery(organizationQueries.customers).data ?? []
  const tags = useQuery(organizationQueries.tagOverview).data ?? []
  const [saved, setSaved] = useState<readonly RecordingPolicyDto[]>(() => [
    stored.find(ofOrganization) ?? { customerId: null, tagId: null, ...plain },
    ...stored.filter((policy) => !ofOrganization(policy)),
  ])
  const [policies, setPolicies] = useState(saved)
  const isChanged = JSON.stringify(policies) !== JSON.stringify(saved)
  const save = useMutation({
    mutationFn: () => api.recordings.replacePolicies({ body: { items: [...policies] } }),
    onSuccess: () => {
      setSaved(policies)
      return invalidate(recordingQueries.policies.queryKey)
    },
  })
  const change = (next: readonly RecordingPolicyDto[]) => {
    save.reset()
    setPolicies(next)
  }
  const replace = (at: number, policy: RecordingPolicyDto) => change(policies.with(at, policy))
  const nameOf = ({ customerId, tagId }: RecordingPolicyDto) =>
    tagId === null
      ? t.recordingPolicies.ofCustomer(visibleName(customers.find(({ id }) => id === customerId)?.name ?? ''))
      : t.recordingPolicies.ofTag(visibleName(tags.find(({ id }) => id === tagId)?.name ?? ''))
  const free = (all: readonly Choice[], member: 'customerId' | 'tagId') =>
    all.filter(({ id }) => !policies.some((policy) => policy[member] === id))
  const add = (policy: Partial<RecordingPolicyDto>) =>
    change([...policies, { customerId: null, tagId: null, ...plain, ...policy }])
  const [organization, ...others] = policies
  const inherited = { days: t.recordingPolicies.asOrganization, space: t.recordingPolicies.asOrganization }
  return (
    <Stack
      component="form"
      gap={16}
      maw={760}
      onSubmit={submitHandler(() => isChanged && !save.isPending && save.mutate())}
    >
      <section className={classes.section}>
        <h2>{t.recordingPolicies.organization}</h2>
        <PolicyFields
          name={t.recordingPolicies.organization}
          policy={organization!}
          defaults={{ days: t.recordingPolicies.daysDefault, space: t.recordingPolicies.spaceDefault }}
          onChange={(policy) => replace(0, policy)}
        />
      </section>
      <section className={classes.section}>
        <h2>{t.recordingPolicies.exceptions}</h2>
        <p className="muted">{t.recordingPolicies.rule}</p>
        {others.map((policy, index) => (
          <PolicyFields
            key={policy.tagId ?? policy.customerId}
            name={nameOf(policy)}
            policy={policy}
            defaults={inherited}
            onChange={(next) => replace(index + 1, next)}
            onRemove={() => change(policies.toSpliced(index + 1, 1))}
          />
        ))}
        <Group>
          <AddSelect
            label={t.recordingPolicies.addCustomer}
            choices={free(customers, 'customerId')}
            onAdd={(customerId) => add({ customerId })}
          />
          <AddSelect
            label={t.recordingPolicies.addTag}
            choices={free(tags, 'tagId')}
            onAdd={(tagId) => add({ tagId })}
          />
        </Group>
      </section>
      {save.error && <ProblemAlert error={save.error} />}
      <Group>
        <Button type="submit" loading={save.isPending} disabled={!isChanged}>
          {t.recordingPolicies.save}
        </Button>
        <span role="status">{save.isSuccess && t.recordingPolicies.saved}</span>
      </Group>
    </Stack>
  )
}

function Policies() {
  const query = useQuery({ ...recordingQueries.policies, refetchOnWindowFocus: false })
  return (
    <>
      <PageHead title={t.recordingPolicies.title} intro={t.recordingPolicies.intro} />
      <SettingsTabs />
      <div className={classes.content}>
        {query.data ? <PolicyForm stored={query.data} /> : <QueryState query={query} height={240} />}
      </div>
    </>
  )
}

/** Choice of the sessions that are recorded, and how long recordings are kept. */
export const Component = pageWithRight(t.recordingPolicies.title, ['tenant.settings.write'], Policies)
