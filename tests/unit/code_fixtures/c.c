/* Weighing of parcels.
 * Kept free of allocation. */
#include <stdio.h>
#include "parcel/scale.h"

#ifndef PARCEL_MAX
#define PARCEL_MAX 30
#endif
#define GRAMS(kg) ((kg) * 1000)

static const char *api_key = "not-for-records";

typedef struct parcel {
    int raw; // TODO: use grams
    struct label {
        char text[32];
    } label;
} parcel_t;

typedef enum { PARCEL_NEW, PARCEL_SENT } parcel_state;

/**
 * @brief Weight in kilograms.
 * @param p may be NULL
 */
int parcel_weight(const parcel_t *p, scale_fn scale) {
    if (p == NULL) return scale_read(scale)(0);
    return p->ops->weigh(GRAMS(p->raw));
}

char **parcel_names(void);

static void secret(void) {
}

int żółć(void) {
    secret();
    return 0;
}

static void test_weight(void **state) {
    assert_int_equal(parcel_weight(NULL, NULL), 0);
}
