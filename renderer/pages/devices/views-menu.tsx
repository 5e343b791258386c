import { ActionIcon, Button, Popover, Switch, TextInput, Tooltip } from '@mantine/core'
import { IconBookmark, IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { checkProps } from '../../components/field-props.ts'
import type { DeviceViewDto } from '../../../shared/api/appliance-device-views.ts'
import { api } from '../../api/http.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { problemText } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import classes from './devices-page.module.css'
import { readListState, writeListState, type ChangeList, type ListState } from './list-url.ts'
import { invalidate } from '../../api/query-client.ts'
import { submitHandler } from '../../components/request-form.tsx'

const sortOf = ({ sort, isDescending }: ListState) => (isDescending ? '-' : '') + sort

/** State of the list that a view saves. */
const stateOf = ({ query, sort }: DeviceViewDto): Partial<ListState> => {
  const { text, sort: column, isDescending } = readListState(new URLSearchParams({ q: query, sort }))
  return { text, sort: column, isDescending }
}

interface SaveFormProps {
  state: ListState
  /** View that is changed; without one a new view is saved. */
  view?: DeviceViewDto | undefined
  mayShare: boolean
  onSaved: () => void
}

/** Saves the list as a view, or renames, shares and unshares a view. */
function SaveForm({ state, view, mayShare, onSaved }: SaveFormProps) {
  const [name, setName] = useState(view?.name ?? '')
  const [isShared, setIsShared] = useState(view?.isShared ?? false)
  const save = useMutation({
    mutationFn: () =>
      view
        ? api.deviceViews.update({
            params: { viewId: view.id },
            body: { name, query: view.query, sort: view.sort, isShared },
          })
        : api.deviceViews.create({ body: { name, query: state.text, sort: sortOf(state), isShared } }),
    onSuccess: () => {
      setName('')
      onSaved()
      return invalidate(organizationQueries.deviceViews.queryKey)
    },
  })
  return (
    <form className={classes.viewForm} onSubmit={submitHandler(() => save.mutate())}>
      <TextInput
        size="xs"
        label={view ? t.devices.views.change(view.name) : t.devices.views.save}
        autoFocus={view !== undefined}
        placeholder={t.devices.views.name}
        maxLength={100}
        value={name}
        error={save.error && problemText(save.error)}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {mayShare && <Switch size="xs" label={t.devices.views.share} {...checkProps(isShared, setIsShared)} />}
      <Button type="submit" size="compact-sm" disabled={name.trim() === ''} loading={save.isPending}>
        {t.common.save}
      </Button>
    </form>
  )
}

/** Saved views: own ones, and those shared with the tenant. */
export function ViewsMenu({ state, onChange }: { state: ListState; onChange: ChangeList }) {
  const [isOpen, setIsOpen] = useState(false)
  const [changed, setChanged] = useState<DeviceViewDto>()
  const { data } = useQuery(organizationQueries.deviceViews)
  const remove = useMutation({
    mutationFn: (viewId: string) => api.deviceViews.delete({ params: { viewId } }),
    onSettled: () => invalidate(organizationQueries.deviceViews.queryKey),
  })
  if (!data) {
    return null
  }
  const shown = writeListState({ ...state, deviceId: undefined }).toString()
  const isCurrent = (view: DeviceViewDto) =>
    writeListState({ ...state, ...stateOf(view), deviceId: undefined }).toString() === shown
  const current = data.items.find(isCurrent)
  return (
    <Popover position="bottom-end" withinPortal trapFocus returnFocus opened={isOpen} onChange={setIsOpen}>
      <Popover.Target>
        <Button
          variant="default"
          size="compact-md"
          leftSection={<IconBookmark size={16} stroke={1.6} />}
          onClick={() => setIsOpen(!isOpen)}
        >
          <span className="truncate">{current?.name ?? t.devices.views.title}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.choices} aria-label={t.devices.views.title}>
        <div className={classes.values}>
          {data.items.length === 0 && <span className="small muted">{t.devices.views.none}</span>}
          {data.items.map((view) => (
            <div key={view.id} className={classes.view}>
              <Tooltip label={t.devices.views.by(view.authorName)} disabled={!view.isShared}>
                <Button
                  variant={view === current ? 'light' : 'subtle'}
                  size="compact-sm"
                  justify="start"
                  rightSection={view.isShared && <span className="small muted">{t.devices.views.shared}</span>}
                  onClick={() => {
                    onChange(stateOf(view))
                    setIsOpen(false)
                  }}
                >
                  <span className="truncate">{view.name}</span>
                </Button>
              </Tooltip>
              {view.mayEdit && (
                <>
                  <ActionIcon
                    size="sm"
                    aria-label={t.devices.views.change(view.name)}
                    aria-pressed={changed?.id === view.id}
                    onClick={() => setChanged(changed?.id === view.id ? undefined : view)}
                  >
                    <IconPencil size={14} />
                  </ActionIcon>
                  <ActionIcon
                    size="sm"
                    aria-label={t.devices.views.delete(view.name)}
                    onClick={() => remove.mutate(view.id)}
                  >
                    <IconTrash size={14} />
                  </ActionIcon>
                </>
              )}
            </div>
          ))}
        </div>
        <SaveForm
          key={changed?.id ?? ''}
          state={state}
          view={changed}
          mayShare={data.mayShare || changed?.isShared === true}
          onSaved={() => {
            setChanged(undefined)
            if (!changed) {
              setIsOpen(false)
            }
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}
