// The places one below the other, each with what the merchant can do there.
import { BlockStack, Card, SkeletonBodyText } from "@shopify/polaris";
import type { ComponentType } from "react";
import type { Place } from "../../domain/merchant/places.ts";
import { AdminButtons } from "./admin-buttons.tsx";
import { AccountButtons } from "./account-buttons.tsx";
import { FlowButtons } from "./flow-buttons.tsx";
import { PixelButtons } from "./pixel-buttons.tsx";
import { PlaceCard } from "./place-card.tsx";
import { ThemeButtons } from "./theme-buttons.tsx";

/** A new place has its own buttons here. */
const BUTTONS: Record<Place["name"], ComponentType<{ place: Place }>> = {
  theme: ThemeButtons,
  web_pixel: PixelButtons,
  admin_customer: AdminButtons,
  customer_account: AccountButtons,
  flow: FlowButtons,
};

export function PlaceList({ places }: { places: Place[] }) {
  return (
    <BlockStack gap="400">
      {places.map((place) => {
        const Buttons = BUTTONS[place.name];
        return (
          <PlaceCard key={place.name} place={place}>
            <Buttons place={place} />
          </PlaceCard>
        );
      })}
    </BlockStack>
  );
}

export function PlaceListWaiting() {
  return (
    <BlockStack gap="400">
      {Object.keys(BUTTONS).map((name) => (
        <Card key={name}>
          <SkeletonBodyText lines={5} />
        </Card>
      ))}
    </BlockStack>
  );
}
