import { Autocomplete, Button, Group, Modal, NumberInput, Select, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import { maxIds } from '../../../shared/contract/fields.ts'
import { batchPermissions, maxCommandLength, type BatchDto, type BatchKind } from '../../../shared/dtos/batch.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { api } from '../../api/http.ts'
import { queries } from '../../api/queries.ts'
import { batchKinds } from '../../components/batch-kinds.ts'
import { BulkSummary, CountField, mustBeCounted, useBulk } from '../../components/bulk-summary.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'

/** Kind of a batch with its devices. */
export interface BatchRequest {
  kind: BatchKind
  devices: readonly DeviceResponseDto[]
}

interface BatchFormProps {
  request: BatchRequest
  /** Selected devices that the list does not show. */
  hidden: readonly DeviceResponseDto[]
  onClose: () => void
  onStarted: (batch: BatchDto) => void
}

const defaultSeconds = 60

const isTagName = (name: string) => /^[a-z0-9-]{1,50}$/.test(name)

/** Inputs of a batch with validation, and its start. */
function useBatchForm({ request, onStarted }: Pick<BatchFormProps, 'request' | 'onStarted'>) {
  const { kind, devices } = request
  const { user } = useSession()
  const client = useQueryClient()
  const isTagging = kind === 'add-tag' || kind === 'remove-tag'
  const tags = useQuery({ ...queries.tags(user.tenantId), enabled: isTagging })
  const [command, setCommand] = useState('')
  const [seconds, setSeconds] = useState<number | string>(defaultSeconds)
  const [tagName, setTagName] = useState('')
  const [typedCount, setTypedCount] = useState('')
  const bulk = useBulk(devices, batchPermissions[kind], batchKinds[kind].skips)
  const left = bulk.left.length
  const isCounted = batchKinds[kind].isDestructive && mustBeCounted(left)
  const isTooMany = devices.length > maxIds
  const carried = new Set(devices.flatMap(({ tagIds }) => tagIds ?? []))
  // Tags of the selected devices come first; the list of devices may be older than the list of tags.
  const choices = (tags.data ?? [])
    .toSorted((a, b) => Number(carried.has(b.id)) - Number(carried.has(a.id)))
    .map(({ name }) => name)
  const isReady =
    left > 0 &&
    !isTooMany &&
    (!isCounted || typedCount === String(left)) &&
    (kind !== 'run-command' || command.trim() !== '') &&
    (!isTagging || isTagName(tagName))

  const start = useMutation({
    mutationFn: async () => {
      const known = tags.data?.find(({ name }) => name === tagName)
      const tag = isTagging
        ? (known ?? (await api.tags.create({ tenantId: user.tenantId, body: { name: tagName } })))
        : undefined
      return api.batches.start({
        body: {
          kind,
          deviceIds: devices.map(({ id }) => id),
          ...(kind === 'run-command' && { command, timeLimitSeconds: Number(seconds) || defaultSeconds }),
          ...(tag && { tagId: tag.id }),
        },
      })
    },
    onSuccess: (batch) => {
      void client.invalidateQueries({ queryKey: queries.batches.queryKey })
      void client.invalidateQueries({ queryKey: ['tags'] })
      onStarted(batch)
    },
  })
  return {
    ...request,
    isTagging,
    tags,
    choices,
    command,
    setCommand,
    seconds,
    setSeconds,
    tagName,
    setTagName,
    typedCount,
    setTypedCount,
    bulk,
    left,
    isCounted,
    isTooMany,
    isReady,
    start,
  }
}

/** Fields for the command or the tag of a batch. */
function BatchFields({ form }: { form: ReturnType<typeof useBatchForm> }) {
  const { kind, tags, choices, command, setCommand, seconds, setSeconds, tagName, setTagName } = form
  return (
    <>
      {kind === 'run-command' && (
        <>
          <Textarea
            label={t.common.command}
            data-autofocus
            autosize
            minRows={3}
            maxRows={12}
            maxLength={maxCommandLength}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--font-mono)' } }}
            {...textProps(command, setCommand)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
                event.currentTarget.form?.requestSubmit()
              }
            }}
          />
          <NumberInput
            label={t.batches.timeLimit}
            description={t.batches.timeLimitHint}
            min={1}
            max={3_600}
            styles={{ wrapper: { width: 140 } }}
            value={seconds}
            onChange={setSeconds}
          />
        </>
      )}
      {kind === 'add-tag' && (
        <Autocomplete
          label={t.batches.tag}
          description={t.batches.tagRules}
          data-autofocus
          data={choices}
          maxLength={50}
          error={tagName !== '' && !isTagName(tagName) && t.batches.tagRules}
          value={tagName}
          onChange={(name) => setTagName(name.toLowerCase())}
        />
      )}
      {kind === 'remove-tag' && (
        <Select
          label={t.batches.tag}
          data-autofocus
          data={choices}
          placeholder={tags.data && choices.length === 0 ? t.batches.noTags : undefined}
          disabled={choices.length === 0}
          value={tagName || null}
          onChange={(name) => setTagName(name ?? '')}
        />
      )}
    </>
  )
}

function BatchForm({ request, hidden, onClose, onStarted }: BatchFormProps) {
  const form = useBatchForm({ request, onStarted })
  const { kind, isTagging, typedCount, setTypedCount, bulk, left, isCounted, isTooMany, isReady, start } = form
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady && !start.isPending) {
          start.mutate()
        }
      }}
    >
      <Stack>
        <BatchFields form={form} />
        <Text c="dimmed">{t.batches.hints[kind]}</Text>
        <BulkSummary bulk={bulk} hidden={hidden} />
        {isTooMany && <Text c="var(--danger)">{t.batches.tooMany(maxIds)}</Text>}
        {isCounted && <CountField number={left} value={typedCount} onChange={setTypedCount} />}
        {start.error && <ProblemAlert error={start.error} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={onClose}
            {...(!isTagging && kind !== 'run-command' && { 'data-autofocus': true })}
          >
            {t.common.cancel}
          </Button>
          <Button
            type="submit"
            color={kind === 'shut-down' ? 'danger' : undefined}
            disabled={!isReady}
            loading={start.isPending}
          >
            {t.batches.asks[kind](left)}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface BatchDialogProps extends Omit<BatchFormProps, 'request'> {
  request: BatchRequest | undefined
  /** Called when the closing animation has ended. */
  onClosed: () => void
}

/** Dialog that shows what a batch will do to which devices, then starts it. */
export const BatchDialog = ({ request, onClosed, ...form }: BatchDialogProps) => (
  <Modal
    opened={request !== undefined}
    onClose={form.onClose}
    onExitTransitionEnd={onClosed}
    size="lg"
    title={request && t.batches.asks[request.kind](request.devices.length)}
  >
    {request && <BatchForm request={request} {...form} />}
  </Modal>
)
