// One of a few, as buttons beside each other.
import { Button, ButtonGroup } from "@shopify/polaris";

export function SegmentedChoice<Name extends string>({
  label,
  names,
  value,
  onChange,
}: {
  label: string;
  names: Readonly<Record<Name, string>>;
  value: NoInfer<Name>;
  onChange(value: Name): void;
}) {
  return (
    <div role="group" aria-label={label}>
      <ButtonGroup variant="segmented">
        {(Object.entries(names) as [Name, string][]).map(([name, text]) => (
          <Button key={name} size="slim" pressed={name === value} onClick={() => onChange(name)}>
            {text}
          </Button>
        ))}
      </ButtonGroup>
    </div>
  );
}
