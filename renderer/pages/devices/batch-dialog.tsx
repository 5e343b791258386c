import { Autocomplete, Button, Group, Modal, NumberInput, Select, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import { maxIds } from '../../../shared/contract/fields.ts'
import { batchPermissions, maxCommandLength, type BatchDto, type BatchKind } from '../../../shared/dtos/batch.ts'
import type { PowerTiming } from '../../../shared/dtos/power-order.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { api } from '../../api/http.ts'
import { batchQueries } from '../../api/batch-queries.ts'
import { batchKinds } from '../../components/batch-kinds.ts'
import { BulkSummary, CountField, mustBeCounted, useBulk } from '../../components/bulk-summary.tsx'
import { PowerTimingFields } from './power-timing-fields.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import * as t from '../../texts.ts'
import { percent } from '../../text/format.ts'
import { leaveFiles } from './leave-files.ts'
import { invalidate } from '../../api/query-client.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { canSend, nothingToSend, SendFilesFields, type Delivery } from './send-files-fields.tsx'

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

/** Entries of the user for a batch. */
interface Entered {
  command: string
  seconds: number | string
  tagName: string
  power: PowerTiming
  delivery: Delivery
  /** Number of devices, typed to confirm. */
  count: string
}

/** At once, as without these fields. */
const atOnce: PowerTiming = { when: 'now', person: 'not-asked' }

const nothingEntered: Entered = {
  command: '',
  seconds: defaultSeconds,
  tagName: '',
  power: atOnce,
  delivery: nothingToSend,
  count: '',
}

const isPowerKind = (kind: BatchKind) => kind === 'restart' || kind === 'shut-down'

const isAtOnce = ({ when, person }: PowerTiming) => when === atOnce.when && person === atOnce.person

const isTagKind = (kind: BatchKind) => kind === 'add-tag' || kind === 'remove-tag'

const hasFields = (kind: BatchKind) => isTagKind(kind) || kind === 'run-command' || kind === 'send-files'

function useTags(kind: BatchKind) {
  return useQuery({ ...organizationQueries.tags, enabled: isTagKind(kind) }).data
}

/** Leaves the files of a batch on the server; closing the dialog cancels this. */
function useLeaveFiles() {
  const [part, setPart] = useState<number>()
  const leaving = useRef<AbortController>(undefined)
  useEffect(() => () => leaving.current?.abort(), [])
  const leave = async ({ files, isForPerson, folder, overwrite }: Delivery) => {
    leaving.current = new AbortController()
    const fileIds = await leaveFiles(files, { signal: leaving.current.signal, onPart: setPart })
    return { fileIds, overwrite, ...(!isForPerson && { folder: folder.trim() }) }
  }
  return { part, leave }
}

/** Starts a batch, leaves its files on the server, and creates its tag if there is none of that name. */
function useStart({ kind, devices }: BatchRequest, entered: Entered, onStarted: (batch: BatchDto) => void) {
  const tags = useTags(kind)
  const { command, seconds, tagName, power, delivery } = entered
  const { part, leave } = useLeaveFiles()
  const start = useMutation({
    mutationFn: async () => {
      const known = tags?.find(({ name }) => name === tagName)
      const tag = isTagKind(kind) ? (known ?? (await api.tags.create({ body: { name: tagName } }))) : undefined
      return api.batches.start({
        body: {
          kind,
          deviceIds: devices.map(({ id }) => id),
          ...(kind === 'run-command' && { command, timeLimitSeconds: Number(seconds) || defaultSeconds }),
          ...(tag && { tagId: tag.id }),
          ...(isPowerKind(kind) && !isAtOnce(power) && { power }),
          ...(kind === 'send-files' && { delivery: await leave(delivery) }),
        },
      })
    },
    onSuccess: (batch) => {
      void invalidate(batchQueries.batches.queryKey, ['tags'])
      onStarted(batch)
    },
  })
  return { start, leftPart: start.isPending ? part : undefined }
}

interface BatchFieldsProps {
  request: BatchRequest
  entered: Entered
  onEnter: (changes: Partial<Entered>) => void
}

/** Fields for the command, the tag or the time of a batch. */
function BatchFields({ request: { kind, devices }, entered, onEnter }: BatchFieldsProps) {
  const { command, seconds, tagName, power, delivery } = entered
  const tags = useTags(kind)
  const carried = new Set(devices.flatMap(({ tagIds }) => tagIds ?? []))
  // Tags of the selected devices come first; the list of devices may be older than the list of tags.
  const choices = (tags ?? [])
    .toSorted((a, b) => Number(carried.has(b.id)) - Number(carried.has(a.id)))
    .map(({ name }) => name)
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
            {...textProps(command, (next) => onEnter({ command: next }))}
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
            onChange={(next) => onEnter({ seconds: next })}
          />
        </>
      )}
      {isPowerKind(kind) && (
        <PowerTimingFields value={power} onChange={(changes) => onEnter({ power: { ...power, ...changes } })} />
      )}
      {kind === 'send-files' && <SendFilesFields value={delivery} onChange={(next) => onEnter({ delivery: next })} />}
      {kind === 'add-tag' && (
        <Autocomplete
          label={t.batches.tag}
          description={t.batches.tagRules}
          data-autofocus
          data={choices}
          // Esc closes an open list before the dialog, even a list without a match.
          {...(!choices.some((name) => name.includes(tagName)) && { dropdownOpened: false })}
          maxLength={50}
          error={tagName !== '' && !isTagName(tagName) && t.batches.tagRules}
          value={tagName}
          onChange={(name) => onEnter({ tagName: name.toLowerCase() })}
        />
      )}
      {kind === 'remove-tag' && (
        <Select
          label={t.batches.tag}
          data-autofocus
          data={choices}
          placeholder={tags && choices.length === 0 ? t.batches.noTags : undefined}
          disabled={choices.length === 0}
          value={tagName || null}
          onChange={(name) => onEnter({ tagName: name ?? '' })}
        />
      )}
    </>
  )
}

function BatchForm({ request, hidden, onClose, onStarted }: BatchFormProps) {
  const { kind, devices } = request
  const [entered, setEntered] = useState(nothingEntered)
  const enter = (changes: Partial<Entered>) => setEntered((before) => ({ ...before, ...changes }))
  const { start, leftPart } = useStart(request, entered, onStarted)
  const bulk = useBulk(devices, batchPermissions[kind], batchKinds[kind].skips)
  const left = bulk.left.length
  const isCounted = batchKinds[kind].isDestructive && mustBeCounted(left)
  const isTooMany = devices.length > maxIds
  const isReady =
    left > 0 &&
    !isTooMany &&
    (!isCounted || entered.count === String(left)) &&
    (kind !== 'run-command' || entered.command.trim() !== '') &&
    (!isTagKind(kind) || isTagName(entered.tagName)) &&
    (kind !== 'send-files' || canSend(entered.delivery))
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
        <BatchFields request={request} entered={entered} onEnter={enter} />
        <Text c="dimmed">
          {isPowerKind(kind) && !isAtOnce(entered.power) ? t.power.hint(entered.power.person) : t.batches.hints[kind]}
        </Text>
        <BulkSummary bulk={bulk} hidden={hidden} />
        {isTooMany && <Text c="var(--danger)">{t.batches.tooMany(maxIds)}</Text>}
        {isCounted && <CountField number={left} value={entered.count} onChange={(count) => enter({ count })} />}
        {leftPart !== undefined && (
          <ProgressBar done={leftPart} animated label={t.batches.send.leaving(percent(leftPart))} />
        )}
        {start.error && <ProblemAlert error={start.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} {...(!hasFields(kind) && { 'data-autofocus': true })}>
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
