import { NumberInput, SegmentedControl, Slider, Switch, Text } from '@mantine/core'
import { imageFormat, type ImageFormat } from '../../../shared/remote-control/values.ts'
import { en as t } from '../../strings/en.ts'
import type { ControlRoomState } from './use-control-room.ts'

const formats: { value: ImageFormat; label: string }[] = [
  { value: imageFormat.Jpeg, label: 'JPEG' },
  { value: imageFormat.WebP, label: 'WebP' },
  { value: imageFormat.Png, label: 'PNG' },
]

/** Panel for image quality and bandwidth. */
export function QualityPanel({ settings, onChange }: Pick<ControlRoomState, 'settings' | 'onChange'>) {
  return (
    <>
      <Switch
        label={t.control.automatic}
        description={t.control.automaticHint}
        checked={settings.isAutomatic}
        onChange={({ currentTarget }) => onChange({ isAutomatic: currentTarget.checked })}
      />
      {!settings.isAutomatic && (
        <div>
          <Text component="h3" fw={600}>
            {t.control.manual}
          </Text>
          <Slider
            min={5}
            max={100}
            step={5}
            defaultValue={settings.quality}
            thumbLabel={t.control.manual}
            onChangeEnd={(quality) => onChange({ quality })}
          />
        </div>
      )}
      <Switch
        label={t.control.limit}
        checked={settings.isLimited}
        onChange={({ currentTarget }) => onChange({ isLimited: currentTarget.checked })}
      />
      {settings.isLimited && (
        <NumberInput
          label={t.control.limitLabel}
          min={0.2}
          max={1000}
          step={1}
          defaultValue={settings.limitMbps}
          onBlur={({ currentTarget }) => {
            const limitMbps = Number(currentTarget.value)
            if (limitMbps > 0) {
              onChange({ limitMbps })
            }
          }}
        />
      )}
      <div>
        <Text component="h3" fw={600}>
          {t.control.format}
        </Text>
        <SegmentedControl
          fullWidth
          size="xs"
          data={formats.map(({ value, label }) => ({ value: String(value), label }))}
          value={String(settings.format)}
          aria-label={t.control.format}
          onChange={(value) =>
            onChange({ format: formats.find((format) => String(format.value) === value)?.value ?? imageFormat.Jpeg })
          }
        />
      </div>
    </>
  )
}
